import ts from 'typescript';

/** Prints a type in full, however it was inferred: no name is left that would have to be imported. */
export function printType(checker, type, place) {
  const print = (inner) => printType(checker, inner, place);
  const { flags } = type;
  const plain = ts.TypeFlags.StringLike | ts.TypeFlags.NumberLike | ts.TypeFlags.BooleanLike;
  const simple =
    plain | ts.TypeFlags.Null | ts.TypeFlags.Undefined | ts.TypeFlags.Unknown | ts.TypeFlags.Void | ts.TypeFlags.Never;
  // A boolean is a union for the compiler.
  if ((flags & simple) !== 0 && !(flags & ts.TypeFlags.EnumLike && flags & ts.TypeFlags.Union))
    return checker.typeToString(type, place, ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.InTypeAlias);
  if (type.isUnion()) return printUnion(type, print);
  if (type.isIntersection())
    return checker.getPropertiesOfType(type).length > 0
      ? printObject(checker, type, print)
      : type.types.map(print).join(' & ');
  if (checker.isTupleType(type)) return `[${checker.getTypeArguments(type).map(print).join(', ')}]`;
  if (checker.isArrayType(type)) return `Array<${print(checker.getTypeArguments(type)[0])}>`;
  if (flags & ts.TypeFlags.Object) return printObject(checker, type, print);
  throw new Error(`The SDK's types hold one that cannot be written out: ${checker.typeToString(type)}`);
}

function printUnion(type, print) {
  const parts = type.types.map(print);
  const whole = parts.includes('true') && parts.includes('false');
  const rest = whole ? [...parts.filter((part) => part !== 'true' && part !== 'false'), 'boolean'] : parts;
  return rest.length > 1 ? `(${rest.join(' | ')})` : rest[0];
}

function printObject(checker, type, print) {
  const members = checker.getPropertiesOfType(type).map((property) => {
    const isOptional = (property.flags & ts.SymbolFlags.Optional) !== 0;
    const given = checker.getTypeOfSymbol(property);
    const name = /^[A-Za-z_$][\w$]*$/.test(property.name) ? property.name : JSON.stringify(property.name);
    return `${name}${isOptional ? '?' : ''}: ${print(given)}`;
  });
  const indexes = checker
    .getIndexInfosOfType(type)
    .map((info) => `[key: ${checker.typeToString(info.keyType)}]: ${print(info.type)}`);
  return members.length + indexes.length === 0 ? 'Record<string, never>' : `{ ${[...members, ...indexes].join('; ')} }`;
}
