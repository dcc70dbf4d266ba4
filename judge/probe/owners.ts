// Paths of objects below others: `/threads/{thread_id}/messages/{message_id}`.
import { operation as operationOf } from '../../schemas/index.ts';

/** The name of the parameter of a path that a constraint is on. */
export function pathParameterOf({ pointer }: { readonly pointer: string }): string {
  return pointer.replace(/^path\./, '');
}

/** The parameters of an operation's path that come before this one, outermost first: they name what its object is part of. */
export function ownersBefore(operation: string, parameter: string): readonly string[] {
  const names = operationOf(operation)
    .parameters.filter((each) => each.in === 'path')
    .map(({ name }) => name);
  return names.slice(0, Math.max(0, names.indexOf(parameter)));
}
