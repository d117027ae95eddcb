"""Access to patient data"""

from typing import Literal

from nagini_contracts.contracts import Ensures, Implies, Result

Role = Literal["physician", "nursing", "general administration"]
LISTED = {
    "allergy.allergyname", "allergy.allergytime", "allergy.drugname",
    "allergy.patientunitstayid",
    "diagnosis.diagnosisname", "diagnosis.diagnosistime", "diagnosis.icd9code",
    "diagnosis.patientunitstayid",
    "lab.labname", "lab.labresult", "lab.labresulttime", "lab.patientunitstayid",
    "medication.dosage", "medication.drugname", "medication.drugstarttime",
    "medication.drugstoptime", "medication.patientunitstayid", "medication.routeadmin",
    "microlab.culturesite", "microlab.culturetakentime", "microlab.organism",
    "microlab.patientunitstayid",
    "patient.admissionheight", "patient.admissionweight", "patient.age",
    "patient.dischargeweight", "patient.ethnicity", "patient.gender",
    "patient.hospitaladmitsource", "patient.hospitaladmittime",
    "patient.hospitaldischargestatus", "patient.hospitaldischargetime",
    "patient.hospitalid", "patient.patienthealthsystemstayid", "patient.patientunitstayid",
    "patient.uniquepid", "patient.unitadmittime", "patient.unitdischargetime",
    "patient.wardid",
    "treatment.patientunitstayid", "treatment.treatmentname", "treatment.treatmenttime",
    "vitalperiodic.heartrate", "vitalperiodic.observationtime",
    "vitalperiodic.patientunitstayid", "vitalperiodic.respiration", "vitalperiodic.sao2",
    "vitalperiodic.systemicdiastolic", "vitalperiodic.systemicmean",
    "vitalperiodic.systemicsystolic", "vitalperiodic.temperature",
}

LISTED_R5 = {
    "allergy.allergyname", "allergy.allergytime", "allergy.drugname",
    "allergy.patientunitstayid",
    "intakeoutput.celllabel", "intakeoutput.cellpath", "intakeoutput.cellvaluenumeric",
    "intakeoutput.intakeoutputtime", "intakeoutput.patientunitstayid",
    "lab.labname", "lab.labresult", "lab.labresulttime", "lab.patientunitstayid",
    "medication.dosage", "medication.drugname", "medication.drugstarttime",
    "medication.drugstoptime", "medication.patientunitstayid", "medication.routeadmin",
    "microlab.culturesite", "microlab.culturetakentime", "microlab.organism",
    "microlab.patientunitstayid",
    "patient.admissionheight", "patient.admissionweight", "patient.age",
    "patient.dischargeweight", "patient.ethnicity", "patient.gender",
    "patient.hospitaladmitsource", "patient.hospitaladmittime",
    "patient.hospitaldischargestatus", "patient.hospitaldischargetime",
    "patient.hospitalid", "patient.patienthealthsystemstayid",
    "patient.patientunitstayid", "patient.uniquepid", "patient.unitadmittime",
    "patient.unitdischargetime", "patient.wardid",
    "treatment.patientunitstayid", "treatment.treatmentname", "treatment.treatmenttime",
    "vitalperiodic.heartrate", "vitalperiodic.observationtime",
    "vitalperiodic.patientunitstayid", "vitalperiodic.respiration",
    "vitalperiodic.sao2", "vitalperiodic.systemicdiastolic",
    "vitalperiodic.systemicmean", "vitalperiodic.systemicsystolic",
    "vitalperiodic.temperature",
}

LISTED_R6 = {
    "cost.chargetime", "cost.cost", "cost.eventid", "cost.eventtype",
    "cost.patienthealthsystemstayid", "cost.uniquepid",
    "lab.labresulttime", "lab.patientunitstayid",
    "medication.drugname", "medication.drugstarttime", "medication.drugstoptime",
    "medication.patientunitstayid",
    "patient.hospitaladmitsource", "patient.hospitaladmittime",
    "patient.hospitaldischargestatus", "patient.hospitaldischargetime",
    "patient.hospitalid", "patient.patienthealthsystemstayid",
    "patient.patientunitstayid", "patient.uniquepid", "patient.unitadmittime",
    "patient.unitdischargetime", "patient.wardid",
    "treatment.patientunitstayid", "treatment.treatmentname", "treatment.treatmenttime",
}


def forbid_physician_read_columns(role: Role, columns: frozenset[str]) -> bool:
    """R4: Physicians may read: LIST_1"""
    return role == "physician" and any(element not in LISTED for element in columns)


def forbid_nursing_read_list(role: Role, columns: frozenset[str]) -> bool:
    """R5: Nursing staff may read: LIST_2"""
    return role == "nursing" and any(element not in LISTED_R5 for element in columns)


def forbid_front_office_general_admission(role: Role, columns: frozenset[str]) -> bool:
    """R6: General admission may read: LIST_3"""
    return role == "general administration" and any(element not in LISTED_R6 for element in columns)


def permit_physician_read_columns(role: Role, columns: frozenset[str]) -> bool:
    """R4: Physicians may read: LIST_1"""
    return role == "physician" and all(element in LISTED for element in columns)


def permit_nursing_read_list(role: Role, columns: frozenset[str]) -> bool:
    """R5: Nursing staff may read: LIST_2"""
    return role == "nursing" and all(element in LISTED_R5 for element in columns)


def permit_front_office_general_admission(role: Role, columns: frozenset[str]) -> bool:
    """R6: General admission may read: LIST_3"""
    return role == "general administration" and all(element in LISTED_R6 for element in columns)


def allow(role: Role, columns: frozenset[str]) -> bool:
    # R4: Denied where role is physician and one of columns is not among what is listed (51).
    Ensures(
        Implies(
            role == "physician"
            and any(
                element
                not in {
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
                }
                for element in columns
            ),
            not Result(),
        ),
    )
    # R4: Allowed where role is physician and all columns are among what is listed (51).
    Ensures(
        Implies(
            role == "physician"
            and all(
                element
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
                for element in columns
            ),
            Result(),
        ),
    )
    # R5: Denied where role is nursing and one of columns is not among what is listed (52).
    Ensures(
        Implies(
            role == "nursing"
            and any(
                element
                not in {
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
                }
                for element in columns
            ),
            not Result(),
        ),
    )
    # R5: Allowed where role is nursing and all columns are among what is listed (52).
    Ensures(
        Implies(
            role == "nursing"
            and all(
                element
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
                for element in columns
            ),
            Result(),
        ),
    )
    # R6: Denied where role is general administration and one of columns is not among what is listed (26).
    Ensures(
        Implies(
            role == "general administration"
            and any(
                element
                not in {
                    "cost.uniquepid", "cost.patienthealthsystemstayid",
                    "cost.eventtype", "cost.eventid", "cost.chargetime", "cost.cost",
                    "lab.patientunitstayid", "lab.labresulttime",
                    "medication.patientunitstayid", "medication.drugname",
                    "medication.drugstarttime", "medication.drugstoptime",
                    "patient.patientunitstayid", "patient.patienthealthsystemstayid",
                    "patient.hospitalid", "patient.wardid",
                    "patient.hospitaladmitsource", "patient.hospitaldischargestatus",
                    "patient.uniquepid", "patient.hospitaladmittime",
                    "patient.unitadmittime", "patient.unitdischargetime",
                    "patient.hospitaldischargetime",
                    "treatment.patientunitstayid", "treatment.treatmentname",
                    "treatment.treatmenttime",
                }
                for element in columns
            ),
            not Result(),
        ),
    )
    # R6: Allowed where role is general administration and all columns are among what is listed (26).
    Ensures(
        Implies(
            role == "general administration"
            and all(
                element
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
                for element in columns
            ),
            Result(),
        ),
    )
    return (
        not (
            forbid_physician_read_columns(role, columns)
            or forbid_nursing_read_list(role, columns)
            or forbid_front_office_general_admission(role, columns)
        )
        and (
            permit_physician_read_columns(role, columns)
            or permit_nursing_read_list(role, columns)
            or permit_front_office_general_admission(role, columns)
        )
    )
