import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { breaksIn } from './schema-breaks.mjs';

// Within version 1 nothing may change that breaks a caller. This compares two OpenAPI 3.1 documents of ours: the surface of
// the last release and the present one. An operation that was announced to end (`x-sunset`) may go once its time has come.

const METHODS = ['get', 'put', 'post', 'patch', 'delete', 'head', 'options', 'trace'];
const isSuccess = (status) => /^[23]/.test(status);

const RELEASED = 'docs/releases/v1.json';
const PRESENT = 'docs/openapi.json';

/** Whether a released operation has ended by now (a Date), and so may be missing. */
const hasEnded = ({ 'x-sunset': sunset }, now) => typeof sunset === 'string' && new Date(sunset) <= now;

/** Compares two documents and returns one line for each change that breaks a caller. */
export function apiBreaks(released, present, now) {
  const look = { released: resolver(released), present: resolver(present) };
  const breaks = Object.entries(released.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).flatMap((method) => {
      const before = item[method];
      const after = present.paths[path]?.[method];
      const name = `${method.toUpperCase()} ${path} (${before.operationId})`;
      if (!after) return hasEnded(before, now) ? [] : [`${name} is gone.`];
      return operationBreaks(before, after, look).map((what) => `${name}: ${what}`);
    }),
  );
  const shape = (document) => document.components?.schemas?.Error ?? {};
  const ofErrors = breaksIn(shape(released), shape(present), { ...look, sent: false, at: 'the body of errors' });
  return [...new Set([...breaks, ...ofErrors.map((what) => `Every operation: ${what}`)])];
}

/** Follows references within a document; what stands beside a reference counts too. */
const resolver = (document) =>
  function resolve(node) {
    if (typeof node?.$ref !== 'string') return node;
    const target = node.$ref
      .split('/')
      .slice(1)
      .reduce((at, key) => at?.[key.replaceAll('~1', '/')], document);
    if (target === undefined) throw new Error(`${node.$ref} is not in the document.`);
    const { $ref: _, ...beside } = node;
    return { ...resolve(target), ...beside };
  };

function operationBreaks(before, after, look) {
  const renamed = before.operationId === after.operationId ? [] : [`is now called ${after.operationId}.`];
  return [
    ...renamed,
    ...credentialBreaks(before.security, after.security),
    ...parameterBreaks(before, after, look),
    ...bodyBreaks(before.requestBody, after.requestBody, look),
    ...replyBreaks(before.responses, after.responses, look),
  ];
}

/** Each kind of credentials that was enough must still be enough; none at all is written as `{}` or no kind. */
function credentialBreaks(before = [], after = []) {
  const kinds = (all) => (all.length === 0 ? ['no credentials'] : all.map(nameOfKind));
  const taken = kinds(after);
  if (taken.includes('no credentials')) return [];
  return kinds(before)
    .filter((kind) => !taken.includes(kind))
    .map((kind) => `no longer works with ${kind}.`);
}

const nameOfKind = (kind) => Object.keys(kind).sort().join(' and ') || 'no credentials';

function parameterBreaks(before, after, look) {
  const byPlace = (operation, resolve) =>
    new Map((operation.parameters ?? []).map(resolve).map((each) => [`${each.in} parameter ${each.name}`, each]));
  const old = byPlace(before, look.released);
  const now = byPlace(after, look.present);
  const added = [...now].filter(([place, { required }]) => required && !old.has(place));
  return [
    ...added.map(([place]) => `needs a new ${place}.`),
    ...[...old].flatMap(([place, was]) => {
      const is = now.get(place);
      if (!is) return [`the ${place} is gone.`];
      const needed = is.required && !was.required ? [`the ${place} must now be given.`] : [];
      return [...needed, ...breaksIn(was.schema, is.schema, { ...look, sent: true, at: `the ${place}` })];
    }),
  ];
}

function bodyBreaks(before, after, look) {
  if (!before) return after?.required ? ['needs a body now.'] : [];
  if (!after) return ['takes no body any more.'];
  const was = look.released(before);
  const is = look.present(after);
  const needed = is.required && !was.required ? ['the body must now be given.'] : [];
  return [...needed, ...contentBreaks(was.content, is.content, { ...look, sent: true, at: 'the body' })];
}

function replyBreaks(before, after, look) {
  return Object.keys(before)
    .filter(isSuccess)
    .flatMap((status) => {
      if (!after[status]) return [`no longer answers ${status}.`];
      const was = look.released(before[status]);
      const is = look.present(after[status]);
      const gone = Object.keys(was.headers ?? {}).filter((name) => !is.headers?.[name]);
      return [
        ...gone.map((name) => `the header ${name} of ${status} is gone.`),
        ...contentBreaks(was.content, is.content, { ...look, sent: false, at: `the reply ${status}` }),
      ];
    });
}

const contentBreaks = (before = {}, after = {}, context) =>
  Object.entries(before).flatMap(([type, { schema }]) =>
    after[type] ? breaksIn(schema, after[type].schema, context) : [`${context.at} is no longer given as ${type}.`],
  );

/** What explains and no caller relies on; fields may have these names too. */
const WORDS = new Set(['description', 'summary', 'title', 'tags', 'default', 'examples', 'deprecated']);

function withoutWords(node) {
  if (Array.isArray(node)) return node.map(withoutWords);
  if (node === null || typeof node !== 'object') return node;
  const parts = Object.entries(node).filter(([key]) => !WORDS.has(key));
  return Object.fromEntries(
    parts.map(([key, part]) => [key, key === 'properties' ? each(part, withoutWords) : withoutWords(part)]),
  );
}

const each = (object, change) => Object.fromEntries(Object.entries(object).map(([key, part]) => [key, change(part)]));

/** As much of a document as is compared: a line for each operation and each shared part. */
export function surfaceOf({ paths, components }) {
  const replyOf = (reply) => ({
    ...withoutWords(reply),
    ...(reply.headers && { headers: each(reply.headers, () => ({})) }),
  });
  const operationOf = ({ responses, ...operation }) => ({
    ...withoutWords(operation),
    responses: each(Object.fromEntries(Object.entries(responses).filter(([status]) => isSuccess(status))), replyOf),
  });
  const { schemas = {}, parameters = {} } = components;
  const surface = {
    paths: each(paths, (item) => each(item, operationOf)),
    components: { schemas: each(schemas, withoutWords), parameters: each(parameters, withoutWords) },
  };
  return `${inLines(surface, 3)}\n`;
}

const inLines = (node, depth) =>
  depth === 0 || Object.keys(node).length === 0
    ? JSON.stringify(node)
    : `{\n${Object.entries(node)
        .map(([key, part]) => `${JSON.stringify(key)}: ${inLines(part, depth - 1)}`)
        .join(',\n')}\n}`;

/** The committed documents: the last release's surface and the present one. */
export function committedBreaks(root, now) {
  const read = (path) => JSON.parse(readFileSync(`${root}/${path}`, 'utf8'));
  return apiBreaks(read(RELEASED), read(PRESENT), now);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  if (process.argv[2] === '--release')
    writeFileSync(`${root}/${RELEASED}`, surfaceOf(JSON.parse(readFileSync(`${root}/${PRESENT}`, 'utf8'))));
  const breaks = committedBreaks(root, new Date());
  for (const line of breaks) console.error(line);
  process.exitCode = breaks.length > 0 ? 1 : 0;
}
