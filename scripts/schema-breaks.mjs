// Whether the JSON schema of a release and the present one fit together. What callers send must still be taken, and what
// they are given must be what they knew: with more fields and more values of a list of words at most.

/**
 * The changes from `before` to `after` that break a caller, a sentence each. `context` has how references of either
 * document are followed (`released`, `present`), whether callers send the value (`sent`) or get it, and where it is (`at`).
 */
export function breaksIn(before, after, context) {
  const { released, present, sent, at, seen = new Set() } = context;
  // Types that contain themselves are compared once.
  const pair = `${before?.$ref} ${after?.$ref}`;
  if (before?.$ref && after?.$ref) {
    if (seen.has(pair)) return [];
    context = { ...context, seen: new Set([...seen, pair]) };
  }
  const old = alternatives(before ?? {}, released);
  const now = alternatives(after ?? {}, present);
  // Each that could be sent must be among those taken; each that can be given among those that were known.
  const [given, among] = sent ? [old, now] : [now, old];
  const breaksOf = (one, other) => (sent ? single(one, other, context) : single(other, one, context));
  return given.flatMap((one) => {
    const tried = among.map((other) => ({ other, breaks: breaksOf(one, other) }));
    if (tried.some(({ breaks }) => breaks.length === 0)) return [];
    // Those that are alike are what the author changed; they give the better message.
    const alike = tried.filter(({ other }) => typesOf(other).some((type) => typesOf(one).includes(type)));
    if (alike.length > 0)
      return alike.reduce((best, each) => (each.breaks.length < best.breaks.length ? each : best)).breaks;
    return [`${at} ${sent ? 'no longer takes' : 'can now be'} ${nameOf(one)}.`];
  });
}

/** A schema as the alternatives that it allows, each without references and with its parts in one. */
function alternatives(schema, resolve) {
  const node = merged(resolve(schema), resolve);
  const { anyOf, oneOf, ...common } = node;
  const inner = anyOf ?? oneOf;
  const own = Array.isArray(common.type) ? common.type.map((type) => ({ ...common, type })) : [common];
  return inner ? inner.flatMap((each) => alternatives(each, resolve)) : own;
}

/** The parts of `allOf` in one: an object has the fields of all. */
function merged(node, resolve) {
  if (!node.allOf) return node;
  const { allOf, ...own } = node;
  return allOf.map((part) => merged(resolve(part), resolve)).reduce(together, own);
}

const together = (one, other) => ({
  ...one,
  ...other,
  ...(one.properties && other.properties && { properties: { ...one.properties, ...other.properties } }),
  ...(one.required && other.required && { required: [...one.required, ...other.required] }),
});

const typesOf = ({ type, const: constant, enum: values }) => {
  if (type !== undefined) return [type].flat();
  const examples = values ?? (constant === undefined ? [] : [constant]);
  return [...new Set(examples.map((value) => (value === null ? 'null' : typeof value)))];
};

const nameOf = (node) =>
  node.const === undefined ? typesOf(node).join(' or ') || 'any value' : JSON.stringify(node.const);

/** The words and numbers that a schema lists; undefined where it lists none. */
const valuesOf = ({ enum: values, const: constant }) => values ?? (constant === undefined ? undefined : [constant]);

function single(before, after, context) {
  return [
    ...typeBreaks(before, after, context),
    ...valueBreaks(before, after, context),
    ...(context.sent ? boundBreaks(before, after, context) : formatBreaks(before, after, context)),
    ...fieldBreaks(before, after, context),
    ...partBreaks(before, after, context),
  ];
}

function typeBreaks(before, after, { sent, at }) {
  const [given, among] = (sent ? [before, after] : [after, before]).map(typesOf);
  if (among.length === 0) return [];
  const fits = (type) => among.includes(type) || (type === 'integer' && among.includes('number'));
  if (given.length > 0 && given.every(fits)) return [];
  return [`${at} was ${nameOf(before)} and is now ${nameOf(after)}.`];
}

/** New values may come to a list, in requests and in replies; none may go. */
function valueBreaks(before, after, { sent, at }) {
  const was = valuesOf(before);
  const is = valuesOf(after);
  if (!is) return [];
  if (!was) return sent ? [`${at} took any ${nameOf(before)} and now only takes ${is.join(', ')}.`] : [];
  const gone = was.filter((value) => !is.includes(value));
  return gone.length === 0 ? [] : [`${at} ${sent ? 'no longer takes' : 'is never again'} ${gone.join(', ')}.`];
}

const LEAST = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];
const MOST = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];

/** What is sent may not be held to closer bounds. Nobody can tell whether another pattern takes the same. */
function boundBreaks(before, after, { at }) {
  const closer = [
    ...LEAST.filter((key) => after[key] > (before[key] ?? Number.NEGATIVE_INFINITY)),
    ...MOST.filter((key) => after[key] < (before[key] ?? Number.POSITIVE_INFINITY)),
  ];
  const others = ['pattern', 'format', 'multipleOf', 'uniqueItems'].filter(
    (key) => after[key] !== undefined && after[key] !== false && after[key] !== before[key],
  );
  return [...closer, ...others].map(
    (key) => `${at} is held to ${key} ${after[key]}${before[key] === undefined ? '' : ` instead of ${before[key]}`}.`,
  );
}

const formatBreaks = (before, after, { at }) =>
  before.format === undefined || before.format === after.format
    ? []
    : [`${at} is no longer in the format ${before.format}.`];

function fieldBreaks(before, after, context) {
  const { at, sent } = context;
  if (!before.properties && !after.properties) return [];
  const was = before.properties ?? {};
  const is = after.properties ?? {};
  const mustBe = (node, name) => node.required?.includes(name) ?? false;
  const added = sent ? Object.keys(is).filter((name) => mustBe(after, name) && !mustBe(before, name)) : [];
  return [
    ...added.map((name) => `${at} must now have ${name}.`),
    ...Object.entries(was).flatMap(([name, field]) => {
      if (!Object.hasOwn(is, name)) return [`${name} of ${at} is gone.`];
      const isLoose = !sent && mustBe(before, name) && !mustBe(after, name);
      const loose = isLoose ? [`${name} of ${at} may now be missing.`] : [];
      return [...loose, ...breaksIn(field, is[name], { ...context, at: `${name} of ${at}` })];
    }),
    ...(sent && before.additionalProperties !== false && after.additionalProperties === false
      ? [`${at} no longer takes fields that are not listed.`]
      : []),
  ];
}

/** Items of lists and values of maps. */
function partBreaks(before, after, context) {
  const of = (was, is, name) =>
    was !== null && typeof was === 'object' && is !== null && typeof is === 'object'
      ? breaksIn(was, is, { ...context, at: `${name} of ${context.at}` })
      : [];
  return [
    ...of(before.items, after.items, 'each item'),
    ...of(before.additionalProperties, after.additionalProperties, 'each value'),
    ...of(before.propertyNames, after.propertyNames, 'each name'),
    ...(before.prefixItems ?? []).flatMap((item, nth) => of(item, after.prefixItems?.[nth], `item ${nth + 1}`)),
  ];
}
