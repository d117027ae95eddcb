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

export const WorkbenchGuard = async ({ directory }) => ({
  "tool.execute.before": async (input, output) => {
    const answer = ask({
      hook_event_name: "tool.execute.before", session_id: input.sessionID, tool_use_id: input.callID,
      cwd: directory, tool_name: input.tool, tool_input: output.args ?? {},
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
      hook_event_name: "tool.execute.after", session_id: input.sessionID, tool_use_id: input.callID,
      cwd: directory, tool_name: input.tool, tool_input: input.args ?? {},
      tool_response: { title: output.title, metadata: output.metadata, output: output.output },
    }, directory)
  },
})
