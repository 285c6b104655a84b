import { type EndingField, endingFields } from './ending-fields.ts';
import type { Operation } from './operation.ts';
import { fullPath } from './operations.ts';

/** Days that something goes on working, at least, once it is announced that it ends. */
export const noticeDays = 90;

/** Something that ends: an operation, or a field of it. */
export interface Deprecation {
  /** Its name in this service: an operation's id, with the place of the field. */
  subject: string;
  operation: Operation;
  field: EndingField | null;
  since: string;
  sunset: string;
  setting: NonNullable<Operation['deprecated']>['setting'];
  instead: string | null;
}

export const subjectOf = ({ id }: Operation, field: EndingField | null = null): string =>
  field === null ? id : `${id} ${field.in}.${field.path.join('.')}`;

/** Everything that these operations declare to end. */
export const deprecations = (rows: readonly Operation[]): Deprecation[] =>
  rows.flatMap((operation) => {
    const { deprecated } = operation;
    const whole: Deprecation[] = deprecated
      ? [
          {
            subject: subjectOf(operation),
            operation,
            field: null,
            since: deprecated.since,
            sunset: deprecated.sunset,
            setting: deprecated.setting,
            instead: deprecated.successor === undefined ? null : fullPath({ ...operation, path: deprecated.successor }),
          },
        ]
      : [];
    const fields = endingFields(operation).map((field) => ({
      subject: subjectOf(operation, field),
      operation,
      field,
      since: field.since,
      sunset: field.sunset,
      setting: undefined,
      instead: field.instead ?? null,
    }));
    return [...whole, ...fields];
  });

/** How people are told of it: `POST /api/v1/tasks`, or a field of it. */
export const nameOf = ({ operation, field }: Deprecation): string => {
  const place = `${operation.method} ${fullPath(operation)}`;
  return field === null ? place : `${field.path.join('.')} in the ${field.in} of ${place}`;
};
