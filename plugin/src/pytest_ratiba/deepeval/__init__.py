"""ConversationalGoldens, test cases, simulations and metrics of DeepEval, in and out (the extra `[eval]`).

Importing this package loads no DeepEval; the functions that need it do.
"""

from pytest_ratiba.deepeval.case_conversion import (
    CaseTranscript,
    conversation_documents,
    conversational_golden,
    conversational_test_case,
)
from pytest_ratiba.deepeval.simulation import model_callback

__all__ = [
    "CaseTranscript",
    "conversation_documents",
    "conversational_golden",
    "conversational_test_case",
    "model_callback",
]
