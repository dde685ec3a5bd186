"""The exceptions of this package."""

__all__ = ["SkilltreeError", "SkilltreeValueError"]


class SkilltreeError(Exception):
    """A call has no answer.

    ``str(error)`` is a sentence that says what was expected. ``error.code`` is a short word for programs, such as
    ``unknown`` for a skill that does not exist. Codes do not change from version to version, and are those of the
    command line.
    """

    #: The stable code of the reason.
    code: str

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)
        self.code = code

    def __str__(self) -> str:
        return str(self.args[1])


class SkilltreeValueError(SkilltreeError, ValueError):
    """An argument has the right type, and a value that cannot be used: an unknown dialect, a path that is not valid."""
