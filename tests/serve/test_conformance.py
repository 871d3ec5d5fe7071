"""What /api/openapi.json says is what the server does, with a token and without."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.serve.conftest import Running

#: Each is asked so many requests as described, and so many that are not.
EXAMPLES = 4
OPEN = ("/api/health", "/api/ready")
FEW = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[*HealthCheck],
)


def operations(served: Running) -> Iterator[Any]:
    """Give every operation that the server describes."""
    import schemathesis  # which takes a second and a half, in every worker

    schema = schemathesis.openapi.from_url(f"{served.url}/api/openapi.json")
    for found in schema.get_all_operations():
        operation = found.ok()
        assert operation is not None
        yield operation


def ask_all(served: Running, token: str, mode: str, check: Any) -> int:
    """Ask every operation, and check each response; return how many requests that were."""
    from schemathesis import GenerationMode

    asked = 0
    for operation in operations(served):
        if operation.path in OPEN and mode == "negative":
            continue  # there is nothing in it that could be wrong

        @given(operation.as_strategy(generation_mode=GenerationMode(mode)))
        @FEW
        def ask(case: Any) -> None:
            nonlocal asked
            asked += 1
            # A token of another case would be none of ours.
            case.headers.pop("Authorization", None)
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            check(case, case.call(headers=headers, timeout=300), headers)

        ask()
    return asked


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["negative", "positive"])
def test_every_answer_is_as_described(served: Running, mode: str) -> None:
    from schemathesis.checks import CHECKS
    from schemathesis.specs.openapi import checks as of_openapi

    checked = [
        of_openapi.status_code_conformance,
        of_openapi.content_type_conformance,
        of_openapi.response_headers_conformance,
        of_openapi.response_schema_conformance,
        of_openapi.allow_header_conformance,
        *CHECKS.get_by_names(["not_a_server_error"]),
    ]

    def check(case: Any, response: Any, headers: dict[str, str]) -> None:
        case.validate_response(response, checks=checked, headers=headers)
        parts = {part.value: it.mode for part, it in case.meta.components.items()}
        if parts.get("body") == "negative":
            assert response.status_code == 422

    assert ask_all(served, served.custodian, mode, check) > 20


def described(served: Running) -> dict[str, Any]:
    with served.client() as client:
        told: dict[str, Any] = client.get("/api/openapi.json").json()
    return told


@pytest.mark.slow
def test_every_other_method_is_refused_and_the_right_ones_are_named(served: Running) -> None:
    with served.client() as client:
        for path, operations_of in described(served)["paths"].items():
            there = path.replace("{view}", "0" * 32).replace("{table}", "0" * 32)
            right = {it.upper() for it in operations_of}
            if there.startswith("/api/views/") and there.count("/") == 3:
                right.add("GET")  # what has the name of a kind could be the name of a picture
            for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "OPTIONS"} - right:
                response = client.request(method, there)
                assert response.status_code == 405, (method, there)
                assert {*response.headers["allow"].split(", ")} <= right, there
                assert response.json()["error"]["code"] == "method"
