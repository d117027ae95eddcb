"""The agent specs for the shipped requests, and three more for other agents."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.model import AgentSpec, Argument, ArgumentType, Json, Kind, Tool

SCHEMA: dict[str, tuple[str, ...]] = {
    "allergy": ("patientunitstayid", "drugname", "allergyname", "allergytime"),
    "cost": ("uniquepid", "patienthealthsystemstayid", "eventtype", "eventid", "chargetime", "cost"),
    "diagnosis": ("patientunitstayid", "icd9code", "diagnosisname", "diagnosistime"),
    "intakeoutput": ("patientunitstayid", "cellpath", "celllabel", "cellvaluenumeric", "intakeoutputtime"),
    "lab": ("patientunitstayid", "labname", "labresult", "labresulttime"),
    "medication": ("patientunitstayid", "drugname", "dosage", "routeadmin", "drugstarttime", "drugstoptime"),
    "microlab": ("patientunitstayid", "culturesite", "organism", "culturetakentime"),
    "patient": (
        "patientunitstayid",
        "patienthealthsystemstayid",
        "gender",
        "age",
        "ethnicity",
        "hospitalid",
        "wardid",
        "admissionheight",
        "hospitaladmitsource",
        "hospitaldischargestatus",
        "admissionweight",
        "dischargeweight",
        "uniquepid",
        "hospitaladmittime",
        "unitadmittime",
        "unitdischargetime",
        "hospitaldischargetime",
    ),
    "treatment": ("patientunitstayid", "treatmentname", "treatmenttime"),
    "vitalperiodic": (
        "patientunitstayid",
        "temperature",
        "sao2",
        "heartrate",
        "respiration",
        "systemicsystolic",
        "systemicdiastolic",
        "systemicmean",
        "observationtime",
    ),
}

ROLES = ("physician", "nursing", "general administration")

HOSPITAL = AgentSpec(
    name="ehr-agent",
    description="Answers questions of hospital staff by writing Python or SQL against ten databases.",
    arguments=(
        Argument("role", ArgumentType(Kind.ENUM, ROLES), "the role the user logged in with"),
        Argument(
            "columns",
            ArgumentType(
                Kind.SET,
                tuple(f"{table}.{column}" for table, columns in SCHEMA.items() for column in columns),
            ),
            "the columns that the code reads, as database.column",
        ),
    ),
    schema=SCHEMA,
)

ACTIONS = (
    "buy_or_rent_car",
    "search_media",
    "book_hotel",
    "apply_for_job",
    "purchase",
    "book_flight",
    "other",
)

SHOPPING = AgentSpec(
    name="web-agent",
    description="Works on web sites on behalf of a signed-in user.",
    arguments=(
        Argument("action", ArgumentType(Kind.ENUM, ACTIONS), "what the agent is doing"),
        Argument("age", ArgumentType(Kind.INT), "the user's age in years"),
        Argument("domestic", ArgumentType(Kind.BOOL), "whether the user lives in the country"),
        Argument("dr_license", ArgumentType(Kind.BOOL), "whether the user holds a driver's licence"),
        Argument("vaccine", ArgumentType(Kind.BOOL), "whether the user is vaccinated"),
        Argument("membership", ArgumentType(Kind.BOOL), "whether the user is a member"),
    ),
    synonyms={
        "abroad": "not domestic",
        "driver's licence": "dr_license",
        "vaccinated": "vaccine",
        "member": "membership",
        "buy a car": "buy_or_rent_car",
        "rent a car": "buy_or_rent_car",
    },
)

BANKING = AgentSpec(
    name="banking-agent",
    description="Pays bills and sends money from one account.",
    arguments=(
        Argument(
            "tool",
            ArgumentType(Kind.ENUM, ("send_money", "schedule_payment", "read_file", "get_balance", "other")),
        ),
        Argument("amount", ArgumentType(Kind.DECIMAL, places=2), "the amount of the payment in EUR"),
        Argument("currency", ArgumentType(Kind.ENUM, ("EUR", "USD", "other")), "the currency of the payment"),
        Argument("recipient", ArgumentType(Kind.STR), "the IBAN that receives the payment"),
        Argument("recipient_is_known", ArgumentType(Kind.BOOL), "whether the recipient was paid before"),
    ),
)

EMAIL = AgentSpec(
    name="email-assistant",
    description="Reads, sends and deletes e-mail.",
    arguments=(
        Argument(
            "tool", ArgumentType(Kind.ENUM, ("send_email", "read_email", "delete_email", "list_contacts"))
        ),
        Argument("recipient", ArgumentType(Kind.STR), "the address that the mail goes to"),
        Argument("has_attachment", ArgumentType(Kind.BOOL), "whether the mail has an attachment"),
        Argument("confirmed", ArgumentType(Kind.BOOL), "whether the user confirmed the action"),
    ),
    synonyms={"attachment": "has_attachment"},
)

SHELL = AgentSpec(
    name="shell-agent",
    description="Works on files and runs commands.",
    tools=(
        Tool(
            "read_file",
            "Reads a file.",
            {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
        ),
        Tool(
            "write_file",
            "Writes a file.",
            {
                "type": "object",
                "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
                "required": ["path", "content"],
            },
        ),
        Tool(
            "delete_file", "Deletes a file.", {"type": "object", "properties": {"path": {"type": "string"}}}
        ),
        Tool(
            "run_command",
            "Runs a command.",
            {"type": "object", "properties": {"command": {"type": "string"}}},
        ),
    ),
)


def _tool(name: str, required: Sequence[str], **enums: Sequence[str]) -> Tool:
    properties: dict[str, Json] = {required_name: {"type": "string"} for required_name in required}
    properties |= {enum_name: {"type": "string", "enum": [*values]} for enum_name, values in enums.items()}
    needed: list[Json] = [*required, *enums]
    return Tool(name, "", {"type": "object", "properties": properties, "required": needed})


SHOP = AgentSpec(
    "shop",
    tools=(
        _tool("verify_identity", ["customer_id"], method=["sms", "document"]),
        _tool("get_order", ["order_id"]),
        _tool("cancel_order", ["order_id"]),
        _tool("issue_refund", ["order_id"]),
        _tool("delete_account", ["customer_id"]),
    ),
)
