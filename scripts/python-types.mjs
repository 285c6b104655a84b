import { isDeepStrictEqual } from 'node:util';

// JSON schemas as Python types: a TypedDict for each object, annotations for the rest.

const KEYWORDS = new Set(
  'and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield None True False'.split(
    ' ',
  ),
);
const INDENT = '    ';
const WIDTH = 100;

const upper = (text) => text[0].toUpperCase() + text.slice(1);

/** Text as a Python string literal. */
const literal = (value) =>
  value === null ? 'None' : typeof value === 'boolean' ? upper(`${value}`) : JSON.stringify(value);

/** Text broken into lines that fit the width. */
export function wrap(text, indent) {
  const lines = [];
  for (const paragraph of text.split('\n')) {
    let line = '';
    for (const word of paragraph.split(/\s+/)) {
      if (line && indent.length + line.length + word.length + 1 > WIDTH) {
        lines.push(line);
        line = word;
      } else line = line ? `${line} ${word}` : word;
    }
    lines.push(line);
  }
  return lines.map((line) => (line ? indent + line : '')).join('\n');
}

/** A docstring with its indent. */
export function docstring(text, indent) {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('"""', "'''");
  const short = `${indent}"""${escaped}"""`;
  if (!escaped.includes('\n') && short.length <= WIDTH && !escaped.endsWith('"')) return short;
  return `${wrap(`"""${escaped}`, indent)}\n${indent}"""`;
}

/** Collects the TypedDicts that types name, in the order in which they are first needed. */
export class PythonTypes {
  #written = new Map();

  /** All definitions so far. */
  get definitions() {
    return [...this.#written.values()].map(({ text }) => text);
  }

  /** Defines the type `name` of a schema. */
  define(name, schema) {
    const type = this.typeOf(schema, name);
    if (type !== name) this.#write(name, schema, `${name} = ${type.includes('"') ? type : `"${type}"`}`);
  }

  /** The annotation of a schema; objects within it are defined as TypedDicts named after `name`. */
  typeOf(schema, name) {
    if (schema.$ref) return schema.$ref.split('/').at(-1);
    if (schema.enum) return `Literal[${schema.enum.map(literal).join(', ')}]`;
    if ('const' in schema) return `Literal[${literal(schema.const)}]`;
    const choices =
      schema.anyOf ??
      schema.oneOf ??
      (Array.isArray(schema.type) ? schema.type.map((type) => ({ ...schema, type })) : null);
    if (choices) return this.#union(choices, name);
    switch (schema.type) {
      case 'string':
        return 'str';
      case 'integer':
        return 'int';
      case 'number':
        return 'float';
      case 'boolean':
        return 'bool';
      case 'null':
        return 'None';
      case 'array':
        return `List[${this.typeOf(schema.items ?? {}, `${name}Item`)}]`;
      case 'object':
        return this.#object(schema, name);
      default:
        return 'Any';
    }
  }

  #union(choices, name) {
    const objects = choices.filter((choice) => choice.properties);
    const types = choices.map((choice) =>
      this.typeOf(choice, objects.length > 1 && choice.properties ? `${name}${objects.indexOf(choice) + 1}` : name),
    );
    return [...new Set(types)].join(' | ');
  }

  #object(schema, name) {
    if (!schema.properties) {
      const values = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : {};
      return `dict[str, ${this.typeOf(values, `${name}Value`)}]`;
    }
    const required = new Set(schema.required ?? []);
    // Before its fields, so that a field of the same name is found out.
    this.#write(name, schema, '');
    const fields = Object.entries(schema.properties).map(([key, field]) => {
      const type = this.typeOf(field, name + upper(key.replace(/\W/g, '_')));
      return { key, type: required.has(key) ? type : `NotRequired[${type}]`, description: field.description };
    });
    this.#written.delete(name);
    this.#write(
      name,
      schema,
      fields.every(({ key }) => /^[A-Za-z_]\w*$/.test(key) && !KEYWORDS.has(key))
        ? classOf(name, schema, fields)
        : callOf(name, fields),
    );
    return name;
  }

  #write(name, schema, text) {
    const known = this.#written.get(name);
    if (known && !isDeepStrictEqual(known.schema, schema))
      throw new Error(`Two different types would be called ${name}`);
    this.#written.set(name, { schema, text });
  }
}

const comment = (description) => (description ? `${wrap(description, `${INDENT}# `)}\n` : '');

function classOf(name, schema, fields) {
  const head = `class ${name}(TypedDict):\n${schema.description ? `${docstring(schema.description, INDENT)}\n\n` : ''}`;
  return (
    head +
    (fields.map(({ key, type, description }) => `${comment(description)}${INDENT}${key}: ${type}`).join('\n') ||
      `${INDENT}pass`)
  );
}

/** For keys that are words of Python. */
const callOf = (name, fields) =>
  `${name} = TypedDict("${name}", {\n${fields.map(({ key, type, description }) => `${comment(description)}${INDENT}"${key}": ${JSON.stringify(type.replaceAll('"', "'"))},`).join('\n')}\n})`;
