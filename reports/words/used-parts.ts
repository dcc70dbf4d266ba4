import type { OperationUsage, UsedPart } from '../../judge/verdict/verdict.ts';

/** The parameters of an operation, their listed values, and its events. */
export function usedParts({ parameters, events }: OperationUsage): readonly UsedPart[] {
  return [
    ...parameters.flatMap((one) => [one, ...one.values.map((value) => named(value, `${one.name} = `))]),
    ...events.map((event) => named(event, 'event ')),
  ];
}

function named({ name, times }: UsedPart, before: string): UsedPart {
  return { name: `${before}${name}`, times };
}
