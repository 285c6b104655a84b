import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { docstring, PythonTypes } from './python-types.mjs';

// The generated part of the Python client: the types of the API document, and a method for each operation.
//   node scripts/python-client.mjs

const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'clients', 'python', 'agora_market', 'generated');

const HEADER = `# Generated from docs/openapi.json by scripts/python-client.mjs. Do not edit: run the script.
# ruff: noqa
from __future__ import annotations
`;
const TYPING = `
from typing import TYPE_CHECKING, Any, Iterator, List, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired, Unpack
`;

/** Follows a task by hand, in tasks.py. */
const byHand = new Set(['tasks.stream']);

/**
 * Seconds that an operation may take by design, in addition to the client's time limit. A command that names no time has one
 * that the client does not know.
 */
const extraSeconds = {
  'tasks.assigned': 'field(query, "wait", 0)',
  'sandbox.exec': 'field(body, "timeoutMs", 1_800_000) / 1000',
  'tasks.tryChecks': '60',
  'tasks.sendBundle': '120',
  'sandbox.provision': '60',
  'sandbox.diff': '60',
  'vault.reconcile': '600',
};

const errorClass = {
  400: 'BadRequestError',
  401: 'AuthenticationError',
  402: 'PaymentRequiredError',
  403: 'PermissionDeniedError',
  404: 'NotFoundError',
  409: 'ConflictError',
  410: 'GoneError',
  413: 'PayloadTooLargeError',
  429: 'RateLimitError',
};
/** Every operation may give these; README.md names them once. */
const common = new Set(['401', '413', '415', '429', '500', '503']);

const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const upper = (text) => text[0].toUpperCase() + text.slice(1);

/** Which credential an operation takes, from the schemes that it accepts. */
function credentialOf(security) {
  const schemes = security.flatMap(Object.keys);
  if (schemes.length === 0) return 'public';
  if (schemes.includes('ownerToken')) return schemes.includes('agentKey') ? 'party' : 'owner';
  return { agentKey: 'agent', trustKey: 'trust', operatorToken: 'operator' }[schemes[0]];
}

function errorsOf(responses) {
  const lines = Object.entries(responses).flatMap(([status, { $ref }]) => {
    if (!$ref || common.has(status)) return [];
    const codes = $ref.split('/').at(-1).split('-');
    return [`${errorClass[status] ?? (status >= 500 ? 'ServerError' : 'AgoraError')} (${codes.join(', ')})`];
  });
  return lines.length > 0 ? `\n\nRaises ${lines.join('; ')}.` : '';
}

/** The schema of the JSON replies; several statuses may have different ones. */
function jsonReplies(responses) {
  const json = Object.entries(responses).flatMap(([status, { content }]) => {
    const media = Object.entries(content ?? {}).find(([type]) => /^application\/([\w-]+\+)?json$/.test(type));
    return status < 300 && media ? [media[1].schema] : [];
  });
  return json.length > 1 ? { anyOf: json } : json[0];
}

/** Those whose body says nothing of its fields are for others, who sign it: a payment processor, and forges. */
const isSigned = ({ requestBody }) => {
  const { schema } = requestBody?.content['application/json'] ?? {};
  return schema !== undefined && Object.keys(schema).length === 0;
};

const mediaOf = (responses) =>
  Object.entries(responses).flatMap(([status, { content }]) => (status < 300 ? Object.keys(content ?? {}) : []));

/** One method. `types` collects the types that it names. */
function methodOf({ id, method, path, operation }, types) {
  const [district, name] = id.split('.');
  const typeName = upper(district) + upper(name);
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter);
  const query = operation.parameters?.filter((one) => one.in === 'query') ?? [];
  const body = operation.requestBody;
  const parameters = ids.map((parameter) => `${snake(parameter)}: str`);
  const parts = [];
  if (body?.content['application/octet-stream']) {
    parameters.push('content: bytes');
    parts.push('content=content');
  } else if (body) {
    const { schema } = body.content['application/json'];
    const type = types.typeOf(schema, `${typeName}Body`);
    const isOptional = !body.required || !(schema.required?.length || schema.$ref || schema.anyOf);
    parameters.push(isOptional ? `body: ${type} | None = None` : `body: ${type}`);
    // Without fields a body is still an object.
    parts.push(isOptional ? 'body=body or {}' : 'body=body');
  } else if (query.length > 0) {
    const required = query.filter((one) => one.required).map((one) => one.name);
    const properties = Object.fromEntries(
      query.map((one) => [one.name, { description: one.description, ...one.schema }]),
    );
    const type = types.typeOf({ type: 'object', properties, required }, `${typeName}Query`);
    parameters.push(required.length > 0 ? `query: ${type}` : `query: ${type} | None = None`);
    parts.push('query=query');
  }
  if (extraSeconds[id]) parts.push(`extra_seconds=${extraSeconds[id]}`);
  const reply = replyOf(operation, types, `${typeName}Reply`);
  if (reply.accept) parts.push(`accept=${JSON.stringify(reply.accept)}`);
  const url =
    ids.length > 0
      ? `path(${[path, ...ids].map((part, index) => (index === 0 ? JSON.stringify(part) : snake(part))).join(', ')})`
      : JSON.stringify(path);
  const about = [operation.summary, operation.description]
    .filter(Boolean)
    .map((text) => text.replace(/\.?$/, '.'))
    .join('\n\n');
  const args = [
    JSON.stringify(method.toUpperCase()),
    url,
    JSON.stringify(credentialOf(operation.security)),
    'options',
    ...parts,
  ];
  return `    def ${snake(name)}(self, ${[...parameters, '**options: Unpack[Options]'].join(', ')}) -> ${reply.type}:
${docstring(about + errorsOf(operation.responses), '        ')}
        return self._http.${reply.call}(${args.join(', ')})`;
}

/** How a reply is read, and its type. */
function replyOf(operation, types, name) {
  const schema = jsonReplies(operation.responses);
  const item = schema?.properties?.pagination && schema.properties.data?.items;
  if (item) return { call: 'list', type: `Page[${types.typeOf(item, `${name}Item`)}]` };
  if (schema) return { call: 'json', type: types.typeOf(schema, name) };
  const [media] = mediaOf(operation.responses);
  if (!media) return { call: 'json', type: 'None' };
  const isLong = ['text/csv', 'application/x-ndjson', 'application/octet-stream'].includes(media);
  const accept = media === 'application/octet-stream' ? '*/*' : media.split(';')[0];
  return isLong
    ? { call: 'chunks', type: 'Iterator[bytes]', accept }
    : { call: 'text', type: 'str', accept: `${accept}, application/json` };
}

// Not the bare name: `Sandbox` is a resource.
const districtOf = (name) => `${upper(name)}District`;

const aboutDistrict = (district) =>
  `Operations of the district \`${district}\`. A body or query is a dict with the API's names.`;

/** Every generated file by its name. */
export function pythonClient(document) {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ id: operation.operationId, method, path, operation })),
  );
  const files = {};
  const models = new PythonTypes();
  for (const [name, schema] of Object.entries(document.components.schemas)) models.define(name, schema);
  files['models.py'] = `${HEADER}${TYPING}\n\n${models.definitions.join('\n\n\n')}\n`;
  const names = [...new Set(operations.map(({ id }) => id.split('.')[0]))];
  for (const district of names) {
    const own = operations.filter(
      ({ id, operation }) => id.startsWith(`${district}.`) && !isSigned(operation) && !byHand.has(id),
    );
    const types = new PythonTypes();
    const methods = own.map((operation) => methodOf(operation, types));
    const className = districtOf(district);
    files[`${district}.py`] = `${HEADER}${TYPING}
from ..http import Http, Options, field, path
from ..page import Page
from .models import *

${types.definitions.map((text) => `\n${text}\n`).join('\n')}

class ${className}:
${docstring(aboutDistrict(district), '    ')}

    def __init__(self, http: Http) -> None:
        self._http = http

${methods.join('\n\n')}
`;
  }
  files['__init__.py'] = `${HEADER}
from ..http import Http
${names.map((name) => `from .${name} import ${districtOf(name)}`).join('\n')}


class Districts:
    """Each attribute is a district, each of its methods an operation."""

    def __init__(self, http: Http) -> None:
${names.map((name) => `        self.${snake(name)} = ${districtOf(name)}(http)`).join('\n')}
`;
  return files;
}

/** The generated files as they are checked in. */
export const checkedIn = () =>
  Object.fromEntries(
    readdirSync(target)
      .filter((name) => name.endsWith('.py'))
      .map((name) => [name, readFileSync(join(target, name), 'utf8')]),
  );

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const document = JSON.parse(readFileSync(join(root, 'docs', 'openapi.json'), 'utf8'));
  rmSync(target, { recursive: true, force: true });
  for (const [name, text] of Object.entries(pythonClient(document))) {
    mkdirSync(dirname(join(target, name)), { recursive: true });
    writeFileSync(join(target, name), text);
  }
}
