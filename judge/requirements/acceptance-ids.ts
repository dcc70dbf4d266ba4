// Ids of the requirements that valid requests are accepted, and of the causes for which they fail.

/** The id of the requirement that an operation, with its variant, accepts valid requests: `createFile:accepts`. */
export function acceptanceRequirementId(subject: string): string {
  return `${subject}:accepts`;
}

/** The operation of a subject, which is an operation with or without its variant: `createAssistant` of `createAssistant.v2`. */
export function operationOfSubject(subject: string): string {
  return subject.split('.', 1)[0] ?? subject;
}

/** The id of one cause for which an operation refuses valid requests: `createChatCompletion:accepts#body.n>1`. */
export function causeId(subject: string, feature: string): string {
  return `${acceptanceRequirementId(subject)}#${feature}`;
}

/** The parts of the id of a cause; null for any other id. */
export function causeParts(id: string): { readonly requirement: string; readonly feature: string } | null {
  const [, requirement, feature] = /^(.+:accepts)#(.+)$/.exec(id) ?? [];
  return requirement === undefined || feature === undefined ? null : { requirement, feature };
}

/** Whether a requirement states that valid requests are accepted. */
export function isAcceptanceRequirement(id: string): boolean {
  return id.endsWith(':accepts');
}
