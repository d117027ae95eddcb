"""Who may read which patient data."""

from typing import Literal

from nagini_contracts.contracts import Ensures, Implies, Result

Role = Literal["physician", "nursing", "general administration"]

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


def forbid_unreadable_column(role: Role, columns: frozenset[str]) -> bool:
    """R1, R2, R3: A role may read only the columns listed for it."""
    return any(column not in READABLE[role] for column in columns)


def allow(role: Role, columns: frozenset[str]) -> bool:
    # R1: Physicians may read only what is listed for that role.
    Ensures(
        Implies(
            role == "physician",
            Result()
            == all(
                column
                in {
                    "allergy.patientunitstayid", "allergy.drugname", "allergy.allergyname",
                    "allergy.allergytime",
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
                }
                for column in columns
            ),
        ),
    )
    # R2: Nursing may read only what is listed for that role.
    Ensures(
        Implies(
            role == "nursing",
            Result()
            == all(
                column
                in {
                    "allergy.patientunitstayid", "allergy.drugname", "allergy.allergyname",
                    "allergy.allergytime",
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
                }
                for column in columns
            ),
        ),
    )
    # R3: General admission may read only what is listed for that role.
    Ensures(
        Implies(
            role == "general administration",
            Result()
            == all(
                column
                in {
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
                for column in columns
            ),
        ),
    )
    return not forbid_unreadable_column(role, columns)
