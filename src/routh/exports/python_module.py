"""Python: one module of plain NumPy, or of JAX, with the same functions.

Both take stacks: leading axes of the state, of the inputs and of the parameters broadcast. That of JAX
is made of pure functions, so that it can be compiled, differentiated and mapped.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from routh.exports import reserved_words
from routh.exports.files_out import Files, stem_of
from routh.exports.functions import ARGUMENTS, Functions
from routh.exports.heading import commented, heading
from routh.exports.lines import Language
from routh.exports.subject import Subject
from routh.kernels.neutral_steps import Result

TEMPLATES = Path(__file__).parent / "templates"
"""What is written in Python here: linear algebra and what stands on it."""

_GIVEN = "t, state, inputs=(), parameters=None"
_PASSED = "t, state, inputs, parameters"

_NAMES = {
    "asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh",
    "atanh": "arctanh", "min": "minimum", "max": "maximum", "atan2": "arctan2", "abs": "abs",
}  # fmt: skip
_OF_ONE = (
    "sqrt", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh",
    "acosh", "atanh", "floor", "ceil", "abs", "sign", "log1p", "expm1",
)  # fmt: skip
_OF_TWO = ("min", "max", "atan2", "fmod", "copysign", "hypot")


def _words(np: str, erf: str) -> dict[str, str]:
    """Operations by the functions of a package."""
    return {
        "add": "{0} + {1}", "sub": "{0} - {1}", "mul": "{0} * {1}", "div": "{0} / {1}",
        "neg": "-{0}", "square": "{0} * {0}", "twice": "2.0 * {0}", "inverse": "1.0 / {0}",
        "power": "{0} ** {1}", "erf": f"{erf}({{0}})",
        "less": "1.0 * ({0} < {1})", "less_equal": "1.0 * ({0} <= {1})",
        "equal": "1.0 * ({0} == {1})", "not_equal": "1.0 * ({0} != {1})", "not": "1.0 * ({0} == 0)",
        "and": "1.0 * (({0} != 0) & ({1} != 0))", "or": "1.0 * (({0} != 0) | ({1} != 0))",
        "where": f"{np}.where({{0}} != 0, {{1}}, 0.0)",
        **{word: f"{np}.{_NAMES.get(word, word)}({{0}})" for word in _OF_ONE},
        **{word: f"{np}.{_NAMES.get(word, word)}({{0}}, {{1}})" for word in _OF_TWO},
    }  # fmt: skip


@dataclass(frozen=True)
class Package:
    """What a module is written with: its name, how it is called, and what is said of it."""

    name: str
    np: str
    imports: str
    erf: str
    about: tuple[str, ...]

    def number(self, value: float) -> str:
        """A number with all its digits."""
        if math.isnan(value):
            return f"{self.np}.nan"
        if math.isinf(value):
            return f"{self.np}.inf" if value > 0 else f"-{self.np}.inf"
        return repr(value)

    @property
    def language(self) -> Language:
        """How it writes steps."""
        words = _words(self.np, self.erf)
        return Language(self.name, words, self.number, lambda name, _: name, "    {name} = {value}")


NUMPY = Package(
    "NumPy",
    "np",
    "import numpy as np\n",
    "_erf",
    ("Leading axes of state, inputs and parameters are a stack of points.",),
)
JAX = Package(
    "JAX",
    "jnp",
    "import jax\nimport jax.numpy as jnp\n",
    "jax.scipy.special.erf",
    (
        "Functions are pure: jax.jit, jax.grad, jax.jacfwd and jax.vmap take them. Numbers are of the",
        'precision that JAX is set to: jax.config.update("jax_enable_x64", True) for doubles.',
    ),
)

_BACKWARD = (
    "Where a piece that does not hold is not real, jax.grad and jax.jacrev multiply zero by its slope,",
    "and give NaN: take jax.jacfwd there, or the function linear.",
)


def numpy_files(given: Subject, path: Path, command: str) -> Files:
    """One module of NumPy."""
    return {path: _Module(given, NUMPY, path, command).text}


def jax_files(given: Subject, path: Path, command: str) -> Files:
    """One module of JAX."""
    return {path: _Module(given, JAX, path, command).text}


class _Module:
    """The text of a module."""

    def __init__(self, given: Subject, package: Package, path: Path, command: str) -> None:
        stem_of(path, "Python", reserved_words.PYTHON)
        self.given, self.own, self.package = given, given.functions, package
        self.functions = Functions(given, package.language, reserved_words.PYTHON)
        kind = f"equations of motion as a module of {package.name}"
        self._lines = [*heading(given, kind, command, self.functions.called), "", *package.about]

    @property
    def text(self) -> str:
        """The whole module."""
        parts = [*self._written()]
        body = "\n\n".join(parts)
        erf = ["def _erf(x):\n    return np.vectorize(math.erf, otypes=[float])(x)\n"]
        own = erf if "_erf(" in body else []
        imports = f"import math\n\n{self.package.imports}" if own else self.package.imports
        head = f'"""{_plain(self.given.system.name or "A system")}: equations of motion."""'
        lines = [*self._lines, *(_BACKWARD if "jnp.where(" in body else ())]
        first = f"{commented(lines, '#')}\n{head}\n\n{imports}\n{self._facts()}"
        template = self._template("points")
        return "\n\n".join([first, template, *own, *parts])

    def _facts(self) -> str:
        """The names and numbers of everything."""
        names, symbols = self.functions.names, self.functions.symbols
        numbers = self.given.values
        rows = "".join(f"    {names[p]!r}: {_default(numbers.get(p.name))},\n" for p in symbols["p"])
        return (
            f"STATES = {_listed(symbols['x'])}\n"
            f"INPUTS = {_listed(symbols['u'])}\n"
            f"PARAMETERS = {{\n{rows}}}\n"
            f"MULTIPLIERS = {_listed(self.given.system.multipliers)}\n"
            f"ENERGIES = {_listed(self.own.energies)}\n"
        )

    def _written(self) -> Iterator[str]:
        yield self._function("matrices", "M (n, n), f (n), P (n, c), J (c, n), gamma (c), see above.")
        yield self._function("energies", "The energies, in the order of ENERGIES.")
        if self.own.c:
            yield self._function("held", "The holonomic constraints, and the rates of all.")
        if self.own.direct:
            yield self._function("rate", "The rate of the state.")
            yield self._function(
                "linear", "A = dx'/dx (2n, 2n) and B = dx'/du (2n, inputs) at a point."
            )
            return
        yield self._function("slopes", "The slopes of M a + P multipliers - f and J a + gamma.", "_")
        yield self._template("saddle")
        if self.own.c:
            places = [k for k, kind in enumerate(self.given.system.is_holonomic) if kind]
            yield self._template("projection").replace("PLACES", repr(places))

    def _template(self, part: str) -> str:
        """A part that is the same for all systems."""
        text = (TEMPLATES / f"{part}_{self.package.np}.txt").read_text("utf-8")
        return text.replace("COUNT", str(self.own.n))

    def _function(self, name: str, said: str, before: str = "") -> str:
        """A function that is written out."""
        steps, lines = self.functions[name]
        more = ", solved" if any(key == "z" for key, _ in steps.arguments) else ""
        head = f'def {before}{name}({_PASSED if more else _GIVEN}{more}):\n    """{said}"""\n'
        plain = self.package is NUMPY
        body = [f"    shape, {_PASSED} = {'_columns' if plain else '_given'}({_PASSED})"]
        for key, entries in self.functions.unpacked(name).items():
            first = plain and key != "z"
            place = "{0}" if first else "..., {0}"
            body += [
                f"    {word} = {ARGUMENTS[key]}[{place.format(k)}]" for k, word in entries if key != "t"
            ]
        body += lines.lines
        for result in steps.results:
            body += self._result(result, dict(_by_place(lines.results[result.name])))
        names = ", ".join(f"{result.name}_out" for result in steps.results)
        if plain and any("np.where(" in line for line in body):
            head = _QUIET + head
        return head + "\n".join([*body, f"    return {names}"]) + "\n"

    def _result(self, result: Result, entries: dict[tuple[int, int], str]) -> Iterator[str]:
        """The lines that put a result together; one column is a vector, where it is no slope."""
        flat = result.columns == 1 and result.name not in ("B", "J", "M", "P", "A", "by_x", "by_u")
        size = f"({result.rows},)" if flat else f"({result.rows}, {result.columns})"
        if self.package is NUMPY:
            yield f"    {result.name}_out = np.zeros((*shape, *{size}))"
            for (row, column), text in sorted(entries.items()):
                place = f"{row}" if flat else f"{row}, {column}"
                yield f"    {result.name}_out[..., {place}] = {text}"
            return
        every = [
            entries.get((row, column), "0.0")
            for row in range(result.rows)
            for column in range(result.columns)
        ]
        rows = "".join(f"        {text},\n" for text in every)
        yield f"    {result.name}_out = _filled(shape, {size}, [\n{rows}    ])"


_QUIET = '@np.errstate(invalid="ignore", divide="ignore")  # of pieces that do not hold here\n'


def _by_place(
    entries: tuple[tuple[int, int, str], ...],
) -> Iterator[tuple[tuple[int, int], str]]:
    for row, column, text in entries:
        yield (row, column), text


def _listed(symbols: tuple[object, ...]) -> str:
    """Names as a tuple."""
    return repr(tuple(str(symbol) for symbol in symbols))


def _default(value: float | None) -> str:
    return 'float("nan")' if value is None else repr(float(value))


def _plain(text: str) -> str:
    """A text that ends no docstring."""
    return " ".join(text.split()).replace("\\", "/").replace('"', "'")
