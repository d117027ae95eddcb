"""The spec of the hospital agent, with plain arguments."""

from __future__ import annotations

from workbench.model import AgentSpec, Argument, ArgumentType, Kind

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
