// Written by 'workbench hook install opencode'. It asks the guard before each tool, and stops the tool unless the
// guard answers exactly that it may go on. 'workbench hook install opencode --remove' takes it away.
import { spawnSync } from "node:child_process"

const COMMAND = __COMMAND__
const SECONDS = __SECONDS__

const ask = (event, folder) => {
  const input = JSON.stringify(event)
  return spawnSync(COMMAND[0], COMMAND.slice(1), {
    cwd: folder, input, encoding: "utf8", timeout: SECONDS * 1000, killSignal: "SIGKILL", maxBuffer: 1 << 24,
  })
}

export const WorkbenchGuard = async ({ directory, client }) => {
  const sessions = new Map()
  const session = async (id) => {
    if (!sessions.has(id)) {
      const { data } = await client.session.get({ path: { id } })
      if (data?.id !== id) throw new Error("The guard is broken, so nothing runs: OpenCode does not tell the session.")
      sessions.set(id, { parent: data.parentID, agent: data.agent })
    }
    return sessions.get(id)
  }
  // A subagent has a session of its own below that of the run.
  const named = async (id) => {
    const own = await session(id)
    let root = id
    for (let at = own; at.parent; at = await session(root)) root = at.parent
    const subagent = root === id ? {} : { agent_id: id, agent_type: own.agent ?? false }
    return { session_id: root, cwd: directory, ...subagent }
  }
  return {
    "chat.message": async (input, output) => {
      try {
        const said = output.parts.filter((part) => part.type === "text" && !part.synthetic)
        const prompt = said.map((part) => part.text).join("\n")
        ask({ hook_event_name: "chat.message", ...(await named(input.sessionID)), prompt }, directory)
      } catch {
        // A prompt is never stopped.
      }
    },
    "tool.execute.before": async (input, output) => {
      const answer = ask({
        hook_event_name: "tool.execute.before", ...(await named(input.sessionID)), tool_use_id: input.callID,
        tool_name: input.tool, tool_input: output.args ?? {},
      }, directory)
      if (answer.status === 0 && answer.stdout === "{}") return
      let reason = ""
      try {
        reason = JSON.parse(answer.stdout).reason
      } catch {
        reason = answer.stderr
      }
      throw new Error(reason || `The guard is broken, so nothing runs: its process ended with ${answer.status ?? answer.signal ?? answer.error}.`)
    },
    "tool.execute.after": async (input, output) => {
      ask({
        hook_event_name: "tool.execute.after", ...(await named(input.sessionID)), tool_use_id: input.callID,
        tool_name: input.tool, tool_input: input.args ?? {},
        tool_response: { title: output.title, metadata: output.metadata, output: output.output },
      }, directory)
    },
  }
}
