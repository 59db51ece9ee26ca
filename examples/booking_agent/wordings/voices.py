"""The agent's eight voices and the banks that belong to each; the first is the default."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from examples.booking_agent.language import Language
from examples.booking_agent.wordings import Bank
from examples.booking_agent.wordings.eighth_voice_english import EIGHTH_ENGLISH
from examples.booking_agent.wordings.eighth_voice_faults import EIGHTH_FAULTS
from examples.booking_agent.wordings.eighth_voice_mixed import EIGHTH_MIXED
from examples.booking_agent.wordings.eighth_voice_stiff import (
    EIGHTH_STIFF_ENGLISH,
    EIGHTH_STIFF_MIXED,
    EIGHTH_STIFF_SWAHILI,
)
from examples.booking_agent.wordings.eighth_voice_swahili import EIGHTH_SWAHILI
from examples.booking_agent.wordings.english import ENGLISH
from examples.booking_agent.wordings.faults import FAULTS
from examples.booking_agent.wordings.fifth_voice_english import FIFTH_ENGLISH
from examples.booking_agent.wordings.fifth_voice_faults import FIFTH_FAULTS
from examples.booking_agent.wordings.fifth_voice_mixed import FIFTH_MIXED
from examples.booking_agent.wordings.fifth_voice_stiff import (
    FIFTH_STIFF_ENGLISH,
    FIFTH_STIFF_MIXED,
    FIFTH_STIFF_SWAHILI,
)
from examples.booking_agent.wordings.fifth_voice_swahili import FIFTH_SWAHILI
from examples.booking_agent.wordings.fourth_voice_english import FOURTH_ENGLISH
from examples.booking_agent.wordings.fourth_voice_faults import FOURTH_FAULTS
from examples.booking_agent.wordings.fourth_voice_mixed import FOURTH_MIXED
from examples.booking_agent.wordings.fourth_voice_stiff import (
    FOURTH_STIFF_ENGLISH,
    FOURTH_STIFF_MIXED,
    FOURTH_STIFF_SWAHILI,
)
from examples.booking_agent.wordings.fourth_voice_swahili import FOURTH_SWAHILI
from examples.booking_agent.wordings.mixed import MIXED
from examples.booking_agent.wordings.second_voice_english import SECOND_ENGLISH
from examples.booking_agent.wordings.second_voice_faults import SECOND_FAULTS
from examples.booking_agent.wordings.second_voice_mixed import SECOND_MIXED
from examples.booking_agent.wordings.second_voice_stiff import (
    SECOND_STIFF_ENGLISH,
    SECOND_STIFF_MIXED,
    SECOND_STIFF_SWAHILI,
)
from examples.booking_agent.wordings.second_voice_swahili import SECOND_SWAHILI
from examples.booking_agent.wordings.seventh_voice_english import SEVENTH_ENGLISH
from examples.booking_agent.wordings.seventh_voice_faults import SEVENTH_FAULTS
from examples.booking_agent.wordings.seventh_voice_mixed import SEVENTH_MIXED
from examples.booking_agent.wordings.seventh_voice_stiff import (
    SEVENTH_STIFF_ENGLISH,
    SEVENTH_STIFF_MIXED,
    SEVENTH_STIFF_SWAHILI,
)
from examples.booking_agent.wordings.seventh_voice_swahili import SEVENTH_SWAHILI
from examples.booking_agent.wordings.sixth_voice_english import SIXTH_ENGLISH
from examples.booking_agent.wordings.sixth_voice_faults import SIXTH_FAULTS
from examples.booking_agent.wordings.sixth_voice_mixed import SIXTH_MIXED
from examples.booking_agent.wordings.sixth_voice_stiff import (
    SIXTH_STIFF_ENGLISH,
    SIXTH_STIFF_MIXED,
    SIXTH_STIFF_SWAHILI,
)
from examples.booking_agent.wordings.sixth_voice_swahili import SIXTH_SWAHILI
from examples.booking_agent.wordings.stiff import STIFF_ENGLISH, STIFF_MIXED, STIFF_SWAHILI
from examples.booking_agent.wordings.swahili import SWAHILI
from examples.booking_agent.wordings.third_voice_english import THIRD_ENGLISH
from examples.booking_agent.wordings.third_voice_faults import THIRD_FAULTS
from examples.booking_agent.wordings.third_voice_mixed import THIRD_MIXED
from examples.booking_agent.wordings.third_voice_stiff import (
    THIRD_STIFF_ENGLISH,
    THIRD_STIFF_MIXED,
    THIRD_STIFF_SWAHILI,
)
from examples.booking_agent.wordings.third_voice_swahili import THIRD_SWAHILI

EN, SW, MIX = Language.ENGLISH, Language.SWAHILI, Language.MIXED


class Voice(StrEnum):
    """Whose words the agent speaks.

    The later ones were written without knowing
    the offline judge's word lists.
    """

    FIRST = "first"
    SECOND = "second"
    THIRD = "third"
    FOURTH = "fourth"
    FIFTH = "fifth"
    SIXTH = "sixth"
    SEVENTH = "seventh"
    EIGHTH = "eighth"


@dataclass(frozen=True, slots=True)
class Wordings:
    """One voice: its natural register, its stiff one, and what its weaknesses say; purpose -> wordings."""

    natural: Mapping[Language, Bank]
    stiff: Mapping[Language, Bank]
    faults: Mapping[str, Bank]


VOICES: Mapping[Voice, Wordings] = {
    Voice.FIRST: Wordings(
        natural={EN: ENGLISH, SW: SWAHILI, MIX: MIXED},
        stiff={EN: STIFF_ENGLISH, SW: STIFF_SWAHILI, MIX: STIFF_MIXED},
        faults=FAULTS,
    ),
    Voice.SECOND: Wordings(
        natural={EN: SECOND_ENGLISH, SW: SECOND_SWAHILI, MIX: SECOND_MIXED},
        stiff={EN: SECOND_STIFF_ENGLISH, SW: SECOND_STIFF_SWAHILI, MIX: SECOND_STIFF_MIXED},
        faults=SECOND_FAULTS,
    ),
    Voice.THIRD: Wordings(
        natural={EN: THIRD_ENGLISH, SW: THIRD_SWAHILI, MIX: THIRD_MIXED},
        stiff={EN: THIRD_STIFF_ENGLISH, SW: THIRD_STIFF_SWAHILI, MIX: THIRD_STIFF_MIXED},
        faults=THIRD_FAULTS,
    ),
    Voice.FOURTH: Wordings(
        natural={EN: FOURTH_ENGLISH, SW: FOURTH_SWAHILI, MIX: FOURTH_MIXED},
        stiff={EN: FOURTH_STIFF_ENGLISH, SW: FOURTH_STIFF_SWAHILI, MIX: FOURTH_STIFF_MIXED},
        faults=FOURTH_FAULTS,
    ),
    Voice.FIFTH: Wordings(
        natural={EN: FIFTH_ENGLISH, SW: FIFTH_SWAHILI, MIX: FIFTH_MIXED},
        stiff={EN: FIFTH_STIFF_ENGLISH, SW: FIFTH_STIFF_SWAHILI, MIX: FIFTH_STIFF_MIXED},
        faults=FIFTH_FAULTS,
    ),
    Voice.SIXTH: Wordings(
        natural={EN: SIXTH_ENGLISH, SW: SIXTH_SWAHILI, MIX: SIXTH_MIXED},
        stiff={EN: SIXTH_STIFF_ENGLISH, SW: SIXTH_STIFF_SWAHILI, MIX: SIXTH_STIFF_MIXED},
        faults=SIXTH_FAULTS,
    ),
    Voice.SEVENTH: Wordings(
        natural={EN: SEVENTH_ENGLISH, SW: SEVENTH_SWAHILI, MIX: SEVENTH_MIXED},
        stiff={EN: SEVENTH_STIFF_ENGLISH, SW: SEVENTH_STIFF_SWAHILI, MIX: SEVENTH_STIFF_MIXED},
        faults=SEVENTH_FAULTS,
    ),
    Voice.EIGHTH: Wordings(
        natural={EN: EIGHTH_ENGLISH, SW: EIGHTH_SWAHILI, MIX: EIGHTH_MIXED},
        stiff={EN: EIGHTH_STIFF_ENGLISH, SW: EIGHTH_STIFF_SWAHILI, MIX: EIGHTH_STIFF_MIXED},
        faults=EIGHTH_FAULTS,
    ),
}
