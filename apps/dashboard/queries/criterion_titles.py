"""The names of criteria on pages, in the reader's language."""

from apps.catalog.configs.queries.criterion_titles import NAMES as NAMES
from apps.catalog.configs.queries.criterion_titles import Titles as Titles
from apps.catalog.configs.queries.criterion_titles import criterion_titles as criterion_titles
