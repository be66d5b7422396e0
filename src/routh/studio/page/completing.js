// What could stand where one types: tables and keys from the schema, names of the model and functions inside expressions.

/** Where in the file a position is: its table, the key it is the value of, whether inside a string, and how deep in brackets. */
export function situation(text, at) {
  const lineStart = text.lastIndexOf("\n", at - 1) + 1;
  const line = text.slice(lineStart, at);
  const heading = [...text.slice(0, lineStart).matchAll(/^\s*(\[\[?)\s*([\w.-]+)\s*\]\]?\s*(?:#.*)?$/gm)].pop();
  const table = heading ? heading[2].split(".") : [];
  let quote = null, key = null, word = "", open = [];
  for (const character of statementAround(text, lineStart) + line) {
    if (quote) { if (character === quote) quote = null; continue; }
    if (character === '"' || character === "'") { quote = character; word = ""; }
    else if (character === "=") { if (open.at(-1)?.bracket === "{") open.at(-1).key = word.trim(); else key = word.trim(); word = ""; }
    else if ("[{".includes(character)) { open.push({ bracket: character, key: null }); word = ""; }
    else if ("]}".includes(character)) { open.pop(); word = ""; }
    else if (character === ",") { word = ""; if (open.at(-1)?.bracket === "{") open.at(-1).key = null; }
    else word += character;
  }
  return { line, table, key, quote, open, heading: /^\s*\[\[?[\w.-]*$/.test(line) };
}

/** The lines above that belong to the same statement: an array over several lines began there. */
function statementAround(text, lineStart) {
  const above = text.slice(Math.max(0, lineStart - 4000), lineStart).split("\n").slice(0, -1);
  const taken = [];
  for (const line of above.reverse()) {
    if (/^\s*\[\[?[\w.-]+\]\]?\s*$/.test(line) || line.trim() === "") break;
    taken.unshift(line);
    if (/^\s*[\w."-]+\s*=/.test(line)) break;
  }
  const whole = taken.join("\n");
  const depth = [...whole.replace(/"[^"]*"/g, "")].reduce((sum, each) => sum + ("[{".includes(each) ? 1 : "]}".includes(each) ? -1 : 0), 0);
  return depth > 0 ? whole + "\n" : "";
}

function resolved(schema, part) {
  if (part?.$ref) return resolved(schema, schema.$defs[part.$ref.split("/").pop()]);
  const choices = part?.anyOf ?? part?.oneOf;
  if (choices) return choices.map(each => resolved(schema, each)).find(each => each.properties) ?? choices.map(each => resolved(schema, each)).find(each => each.items) ?? part;
  return part ?? {};
}

function inside(schema, part, key) {
  const whole = resolved(schema, part);
  const entry = whole.items && !whole.properties ? resolved(schema, whole.items) : whole;
  return entry.properties?.[key] ?? (typeof entry.additionalProperties === "object" ? entry.additionalProperties : null);
}

/** The part of the schema whose keys may stand at this place. */
function partAt(schema, { table, key, open }) {
  let part = schema;
  for (const name of table) part = inside(schema, part, name);
  const braces = open.filter(each => each.bracket === "{");
  if (braces.length) part = inside(schema, part, key);
  for (const outer of braces.slice(0, -1)) part = inside(schema, part, outer.key);
  let found = resolved(schema, part);
  while (found.items && !found.properties) found = resolved(schema, found.items);
  return found;
}

const about = (schema, part) => part.description ?? resolved(schema, part).description ?? "";

function keys(schema, where) {
  const part = partAt(schema, where);
  const ends = Object.entries(part.properties ?? {}).filter(([, each]) => where.table.length || where.open.length || !isTable(schema, each));
  return ends.map(([name, each]) => ({ label: name, type: "property", apply: `${name} = `, detail: kindOf(schema, each), info: about(schema, each) || undefined }));
}

function kindOf(schema, part) {
  const kinds = new Set((part.anyOf ?? [part]).map(each => resolved(schema, each)).map(each => each.enum ? each.enum.join(" | ") : each.type).filter(each => each && each !== "null"));
  return [...kinds].join(" or ");
}

const isTable = (schema, part) => {
  const whole = resolved(schema, part);
  return whole.type === "object" || (whole.type === "array" && resolved(schema, whole.items).type === "object");
};

function tables(schema, line) {
  const indent = line.match(/^\s*/)[0].length;
  return Object.entries(schema.properties).filter(([, part]) => isTable(schema, part)).map(([name, part]) => {
    const repeated = resolved(schema, part).type === "array";
    return { label: repeated ? `[[${name}]]` : `[${name}]`, type: "class", info: about(schema, part) || undefined, indent };
  });
}

const KINDS = { coordinates: "coordinate", parameters: "parameter", inputs: "input", fields: "field", let: "name", points: "point", spaces: "space", rotations: "rotation", bodies: "body" };

/** Names the text declares, from its own lines, so that they are there before the model reads. */
export function namesIn(text) {
  const found = new Map();
  let table = "";
  for (const line of text.split("\n")) {
    const heading = line.match(/^\s*\[\[?\s*([\w-]+)(?:\.([\w-]+))?\s*\]\]?/);
    if (heading) {
      table = heading[2] ? "" : heading[1];
      if (heading[2] && KINDS[heading[1]]) found.set(heading[2], KINDS[heading[1]]);
    }
    const key = line.match(/^\s*([A-Za-z_]\w*)\s*=/);
    if (key && KINDS[table]) found.set(key[1], KINDS[table]);
  }
  return found;
}

const BEFORE_WORDS = new Set(["name", "description", "unit", "about"]);

function expressions(text, functions) {
  const names = [...namesIn(text)].map(([label, detail]) => ({ label, detail, type: detail === "parameter" ? "constant" : "variable", boost: 2 }));
  const calls = functions.map(each => ({ label: each.name, detail: each.signature.replace(each.name, ""), info: each.about, type: "function", apply: `${each.name}(` }));
  return [...names, ...calls, { label: "t", detail: "time", type: "constant" }, { label: "pi", detail: "3.14159…", type: "constant" }];
}

/** A source of completions for the editor, given the schema and the functions of the server's greeting. */
export function completions({ schema, functions }) {
  return context => {
    const text = context.state.doc.toString();
    const where = situation(text, context.pos);
    const word = context.matchBefore(/[A-Za-z_]\w*/);
    if (where.line.includes("#") && !where.quote) return null;
    if (where.heading) return { from: context.pos - where.line.trimStart().length, options: tables(schema, where.line), filter: true };
    if (!word && !context.explicit) return null;
    const from = word?.from ?? context.pos;
    if (where.quote) {
      const innermost = where.open.filter(each => each.bracket === "{").at(-1)?.key ?? where.key;
      if (BEFORE_WORDS.has(innermost)) return null;
      return { from, options: expressions(text, functions), validFor: /^\w*$/ };
    }
    const atKey = where.open.length ? where.open.at(-1).bracket === "{" && !where.open.at(-1).key : where.key === null;
    if (!atKey) return null;
    const atLine = !where.open.length && /^\s*\w*$/.test(where.line) ? tables(schema, where.line).map(each => ({ ...each, boost: -1 })) : [];
    return { from, options: [...keys(schema, where), ...atLine], validFor: /^\w*$/ };
  };
}
