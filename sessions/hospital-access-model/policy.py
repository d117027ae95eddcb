"""Who may read which patient data"""

from nagini_contracts.contracts import Ensures, Implies, Result

from agent import Act, Run, RunPython, RunSql

DEFAULT = "allow"
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

PHYSICIANS = {
    "allergy.patientunitstayid", "allergy.drugname", "allergy.allergyname",
    "allergy.allergytime",
    "diagnosis.patientunitstayid", "diagnosis.icd9code", "diagnosis.diagnosisname",
    "diagnosis.diagnosistime",
    "lab.patientunitstayid", "lab.labname", "lab.labresult", "lab.labresulttime",
    "medication.patientunitstayid", "medication.drugname", "medication.dosage",
    "medication.routeadmin", "medication.drugstarttime", "medication.drugstoptime",
    "microlab.patientunitstayid", "microlab.culturesite", "microlab.organism",
    "microlab.culturetakentime",
    "patient.patientunitstayid", "patient.patienthealthsystemstayid", "patient.gender",
    "patient.age", "patient.ethnicity", "patient.hospitalid", "patient.wardid",
    "patient.admissionheight", "patient.hospitaladmitsource",
    "patient.hospitaldischargestatus", "patient.admissionweight",
    "patient.dischargeweight", "patient.uniquepid", "patient.hospitaladmittime",
    "patient.unitadmittime", "patient.unitdischargetime",
    "patient.hospitaldischargetime",
    "treatment.patientunitstayid", "treatment.treatmentname",
    "treatment.treatmenttime",
    "vitalperiodic.patientunitstayid", "vitalperiodic.temperature",
    "vitalperiodic.sao2", "vitalperiodic.heartrate", "vitalperiodic.respiration",
    "vitalperiodic.systemicsystolic", "vitalperiodic.systemicdiastolic",
    "vitalperiodic.systemicmean", "vitalperiodic.observationtime",
}

NURSING = {
    "allergy.patientunitstayid", "allergy.drugname", "allergy.allergyname",
    "allergy.allergytime",
    "intakeoutput.patientunitstayid", "intakeoutput.cellpath", "intakeoutput.celllabel",
    "intakeoutput.cellvaluenumeric", "intakeoutput.intakeoutputtime",
    "lab.patientunitstayid", "lab.labname", "lab.labresult", "lab.labresulttime",
    "medication.patientunitstayid", "medication.drugname", "medication.dosage",
    "medication.routeadmin", "medication.drugstarttime", "medication.drugstoptime",
    "microlab.patientunitstayid", "microlab.culturesite", "microlab.organism",
    "microlab.culturetakentime",
    "patient.patientunitstayid", "patient.patienthealthsystemstayid", "patient.gender",
    "patient.age", "patient.ethnicity", "patient.hospitalid", "patient.wardid",
    "patient.admissionheight", "patient.hospitaladmitsource",
    "patient.hospitaldischargestatus", "patient.admissionweight",
    "patient.dischargeweight", "patient.uniquepid", "patient.hospitaladmittime",
    "patient.unitadmittime", "patient.unitdischargetime", "patient.hospitaldischargetime",
    "treatment.patientunitstayid", "treatment.treatmentname", "treatment.treatmenttime",
    "vitalperiodic.patientunitstayid", "vitalperiodic.temperature", "vitalperiodic.sao2",
    "vitalperiodic.heartrate", "vitalperiodic.respiration",
    "vitalperiodic.systemicsystolic", "vitalperiodic.systemicdiastolic",
    "vitalperiodic.systemicmean", "vitalperiodic.observationtime",
}

FRONT_OFFICE = {
    "cost.uniquepid", "cost.patienthealthsystemstayid", "cost.eventtype",
    "cost.eventid", "cost.chargetime", "cost.cost",
    "lab.patientunitstayid", "lab.labresulttime",
    "medication.patientunitstayid", "medication.drugname",
    "medication.drugstarttime", "medication.drugstoptime",
    "patient.patientunitstayid", "patient.patienthealthsystemstayid",
    "patient.hospitalid", "patient.wardid", "patient.hospitaladmitsource",
    "patient.hospitaldischargestatus", "patient.uniquepid",
    "patient.hospitaladmittime", "patient.unitadmittime",
    "patient.unitdischargetime", "patient.hospitaldischargetime",
    "treatment.patientunitstayid", "treatment.treatmentname",
    "treatment.treatmenttime",
}


def forbid_unlisted_column(call: RunPython | RunSql | Act, run: Run) -> bool:
    """R1, R2, R3, R4: Each role may read only the databases and columns listed for it below. A physician may read exactly the columns listed under Physicians. Nursing staff may read exactly the columns listed under Nursing. The role “general administration” may read exactly the columns listed under Front office."""
    return any(column not in READABLE[run.first_said.role] for column in call.code.columns)


def contract_reading(call: RunPython | RunSql | Act, run: Run) -> None:
    # R1, R2: Each role may read only the databases and columns listed for it below. A physician may read exactly the columns listed under Physicians.
    Ensures(
        Implies(run.first_said.role == "physician", Result() == (call.code.columns <= PHYSICIANS)),
    )
    # R1, R3: Each role may read only the databases and columns listed for it below. Nursing staff may read exactly the columns listed under Nursing.
    Ensures(Implies(run.first_said.role == "nursing", Result() == (call.code.columns <= NURSING)))
    # R1, R4: Each role may read only the databases and columns listed for it below. The role “general administration” may read exactly the columns listed under Front office.
    Ensures(
        Implies(
            run.first_said.role == "general administration",
            Result() == (call.code.columns <= FRONT_OFFICE),
        ),
    )
