"""Who may read which patient data."""

from nagini_contracts.contracts import Ensures, Implies, Result

from agent import Act, RunPython, RunSql, Run

DEFAULT = "allow"

# The front office ("general admission") logs in as "general administration".
READABLE = {
    "physician": {
        "allergy.patientunitstayid", "allergy.drugname",
        "allergy.allergyname", "allergy.allergytime",
        "diagnosis.patientunitstayid", "diagnosis.icd9code",
        "diagnosis.diagnosisname", "diagnosis.diagnosistime",
        "lab.patientunitstayid", "lab.labname", "lab.labresult",
        "lab.labresulttime",
        "medication.patientunitstayid", "medication.drugname",
        "medication.dosage", "medication.routeadmin",
        "medication.drugstarttime", "medication.drugstoptime",
        "microlab.patientunitstayid", "microlab.culturesite",
        "microlab.organism", "microlab.culturetakentime",
        "patient.patientunitstayid", "patient.patienthealthsystemstayid",
        "patient.gender", "patient.age", "patient.ethnicity",
        "patient.hospitalid", "patient.wardid", "patient.admissionheight",
        "patient.hospitaladmitsource", "patient.hospitaldischargestatus",
        "patient.admissionweight", "patient.dischargeweight",
        "patient.uniquepid", "patient.hospitaladmittime",
        "patient.unitadmittime", "patient.unitdischargetime",
        "patient.hospitaldischargetime",
        "treatment.patientunitstayid", "treatment.treatmentname",
        "treatment.treatmenttime",
        "vitalperiodic.patientunitstayid", "vitalperiodic.temperature",
        "vitalperiodic.sao2", "vitalperiodic.heartrate",
        "vitalperiodic.respiration", "vitalperiodic.systemicsystolic",
        "vitalperiodic.systemicdiastolic", "vitalperiodic.systemicmean",
        "vitalperiodic.observationtime",
    },
    "nursing": {
        "allergy.patientunitstayid", "allergy.drugname",
        "allergy.allergyname", "allergy.allergytime",
        "intakeoutput.patientunitstayid", "intakeoutput.cellpath",
        "intakeoutput.celllabel", "intakeoutput.cellvaluenumeric",
        "intakeoutput.intakeoutputtime",
        "lab.patientunitstayid", "lab.labname", "lab.labresult",
        "lab.labresulttime",
        "medication.patientunitstayid", "medication.drugname",
        "medication.dosage", "medication.routeadmin",
        "medication.drugstarttime", "medication.drugstoptime",
        "microlab.patientunitstayid", "microlab.culturesite",
        "microlab.organism", "microlab.culturetakentime",
        "patient.patientunitstayid", "patient.patienthealthsystemstayid",
        "patient.gender", "patient.age", "patient.ethnicity",
        "patient.hospitalid", "patient.wardid", "patient.admissionheight",
        "patient.hospitaladmitsource", "patient.hospitaldischargestatus",
        "patient.admissionweight", "patient.dischargeweight",
        "patient.uniquepid", "patient.hospitaladmittime",
        "patient.unitadmittime", "patient.unitdischargetime",
        "patient.hospitaldischargetime",
        "treatment.patientunitstayid", "treatment.treatmentname",
        "treatment.treatmenttime",
        "vitalperiodic.patientunitstayid", "vitalperiodic.temperature",
        "vitalperiodic.sao2", "vitalperiodic.heartrate",
        "vitalperiodic.respiration", "vitalperiodic.systemicsystolic",
        "vitalperiodic.systemicdiastolic", "vitalperiodic.systemicmean",
        "vitalperiodic.observationtime",
    },
    "general administration": {
        "cost.uniquepid", "cost.patienthealthsystemstayid",
        "cost.eventtype", "cost.eventid", "cost.chargetime",
        "cost.cost",
        "lab.patientunitstayid", "lab.labresulttime",
        "medication.patientunitstayid", "medication.drugname",
        "medication.drugstarttime", "medication.drugstoptime",
        "patient.patientunitstayid",
        "patient.patienthealthsystemstayid",
        "patient.hospitalid", "patient.wardid",
        "patient.hospitaladmitsource",
        "patient.hospitaldischargestatus",
        "patient.uniquepid", "patient.hospitaladmittime",
        "patient.unitadmittime", "patient.unitdischargetime",
        "patient.hospitaldischargetime",
        "treatment.patientunitstayid",
        "treatment.treatmentname", "treatment.treatmenttime",
    },
}


def forbid_unreadable_column(call: Act | RunPython | RunSql, run: Run) -> bool:
    """R1: Each role may read only the databases and columns listed for it below."""
    return any(column not in READABLE[run.first_said.role] for column in call.code.columns)


def contract_reading(call: Act | RunPython | RunSql, run: Run) -> None:
    # R1: Each role may read only the databases and columns listed for it below.
    Ensures(Result() == all(column in READABLE[run.first_said.role] for column in call.code.columns))
    # R2: Physicians may read:
    Ensures(
        Implies(
            run.first_said.role == "physician",
            Result() == all(column in READABLE["physician"] for column in call.code.columns),
        )
    )
    # R3: Nursing staff may read:
    Ensures(
        Implies(
            run.first_said.role == "nursing",
            Result() == all(column in READABLE["nursing"] for column in call.code.columns),
        )
    )
    # R4: General admission may read:
    Ensures(
        Implies(
            run.first_said.role == "general administration",
            Result() == all(column in READABLE["general administration"] for column in call.code.columns),
        )
    )
