"""The paper's claims in the order of their numbers."""

from cbkit.studies.claims.appendix import APPENDIX_CLAIMS
from cbkit.studies.claims.coverage import COVERAGE_CLAIMS
from cbkit.studies.claims.evaluation import EVALUATION_CLAIMS

_ALL = (*EVALUATION_CLAIMS, *APPENDIX_CLAIMS, *COVERAGE_CLAIMS)
CLAIMS = tuple(sorted(_ALL, key=lambda claim: claim.number))
