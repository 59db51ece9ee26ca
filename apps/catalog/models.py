"""The tables of the catalog, for the other rooms: each stands in the folder of its subject."""

from apps.catalog.configs.models import Criterion, EvaluatorConfig, EvaluatorConfigVersion, JudgeCheck
from apps.catalog.connections.models import Agent, AgentConnection, ModelProvider, OutsideConnection, ProfileVersion
from apps.catalog.goldens.models import GoldenSession, GoldenVersion, StoredFile
from apps.catalog.personas.models import GeneratedPersona, Persona, PersonaGeneration, PersonaValidation
from apps.catalog.prompts.models import PromptLine, PromptVersion
from apps.catalog.scenarios.models import Scenario

__all__ = [
    "Agent",
    "AgentConnection",
    "Criterion",
    "EvaluatorConfig",
    "EvaluatorConfigVersion",
    "GeneratedPersona",
    "GoldenSession",
    "GoldenVersion",
    "JudgeCheck",
    "ModelProvider",
    "OutsideConnection",
    "Persona",
    "PersonaGeneration",
    "PersonaValidation",
    "ProfileVersion",
    "PromptLine",
    "PromptVersion",
    "Scenario",
    "StoredFile",
]
