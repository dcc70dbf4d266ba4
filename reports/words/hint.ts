import type { KeyFacts, RefusedKey } from '../../exchange/key-refusal.ts';
import type { Hint, ModelChoice } from '../../exchange/note.ts';
import { families } from '../../schemas/index.ts';
import { compact, plural, shortList } from '../../schemas/message-text.ts';
import { type WordsByKind, wordsByKind } from './by-kind.ts';

const MAX_NAMED_MODELS = 3;
const MAX_NAMED = 6;

export function hintWords(hint: Hint): string {
  return wordsByKind(hint, 'kind', HINTS);
}

const HINTS: WordsByKind<'kind', Hint> = {
  'models-not-listed': ({ models, listed, total }) => {
    const more = total > listed.length ? ` and ${total - listed.length} more` : '';
    const names = total === 0 ? 'no model at all' : `${listed.join(', ')}${more}`;
    return `the target does not list the model of ${modelFlags(models)}: it lists ${names}, so requirements that need it may fail`;
  },
  'models-found': foundModelsWords,
  // The key itself is never shown, because reports are shared.
  'key-refused': () =>
    'every request was refused, because the target rejects the key that was sent: does it belong to this target?',
  'models-refused': ({ status, keyVariable, key }) =>
    `the target answers ${status} to the list of models, so no model was found. ${keyAdvice({ keyVariable, key })}`,
  // Roles are written as options, so that they can be found in the command.
  'model-refused': ({ model, roles, status, code }) =>
    `every request with the model ${model} was refused (${`${status} ${code}`.trim()}): is ${modelFlags(roles.map((role) => ({ role, id: model })))} right?`,
  'models-not-in-reference': ({ models, offered }) =>
    `the client asked for ${shortList(models, MAX_NAMED_MODELS)}, and the reference that answered has models with other names: ` +
    `--base-url URL lets your service answer, or name one of ${offered.join(', ')}`,
  'answers-disturbed': ({ answers }) =>
    `${plural(answers, 'answer')} ${answers === 1 ? 'was' : 'were'} changed by --disturb: the original responses are unknown and not judged`,
  'marks-not-believed': ({ answers }) =>
    `${plural(answers, 'answer')} with the header field x-assay-disturbed or x-assay-created-before ${answers === 1 ? 'was' : 'were'} judged like any other, because any service can send it. ` +
    'If assay serve or replay --disturb answered, give --disturbed to the command that recorded the traffic, or to check',
  'answers-too-long': ({ answers }) =>
    `${plural(answers, 'answer')} ${answers === 1 ? 'is' : 'are'} too long to be judged, and ignored as evidence: ` +
    'more bytes or events than assay reads, or an event of 16 MiB or more, or of more than 500,000 lines',
  'claim-not-offered': ({ names, status, offered }) => {
    const them = names.length === 1 ? 'it' : 'them';
    return (
      `the target does not offer ${names.join(', ')}, which the claim names: it answers ${status ?? 'nothing'}, as to a path that no service has. ` +
      `Implement ${them}, or take ${them} out of --claim, ASSAY_CLAIM or "claim" in the configuration: the target offers ${shortList(offered, MAX_NAMED)}`
    );
  },
  'errors-at-random': ({ requests, statuses, operations, exchanges }) => {
    const [theyWere, them] = requests === 1 ? ['it was', 'it'] : ['they were', 'them'];
    return (
      `the target answered ${statuses.join(' or ')} to ${plural(requests, 'request')} of ${shortList(operations, MAX_NAMED)}, but not when ${theyWere} sent again ` +
      `(${shortList(exchanges, MAX_NAMED)}): a client that does not retry ${them} fails`
    );
  },
  'dialect-would-excuse': ({ dialect, failures }) =>
    dialect === 'openai'
      ? `the target is api.openai.com: --dialect openai lists its intentional deviations from the specification, and excuses ${failures} of the failing requirements`
      : `--dialect ${dialect} excuses ${failures} of the failing requirements, as deviations that servers of open models share`,
};

function foundModelsWords(hint: Extract<Hint, { kind: 'models-found' }>): string {
  const { models, without, total, given } = hint;
  if (total === 0)
    return 'the target lists no models, and none was given: set them with --model ROLE=ID, for example --model chat=my-model';
  const doubtful = models.filter(({ role }) => without.some((one) => one.role === role));
  // Roles with models that accept images, but may not read them, are reported with their own reason and option.
  const unserved = without.filter(
    ({ role, blind = [] }) => blind.length === 0 && !doubtful.some((one) => one.role === role),
  );
  const withRemarks = (first: string, onUnserved: string) =>
    compact(
      first,
      ...doubtful.map(
        ({ role, id }) => `${id} refused the trial for ${role} for another reason, which the run shows`,
      ),
      unserved.length > 0 && onUnserved,
      ...without.flatMap(({ role, blind = [] }) => blind.map((id) => blindWords(role, id))),
    ).join('; ');
  if (given !== undefined) {
    const servedRoles = models.filter((one) => !doubtful.includes(one)).map(({ role }) => role);
    const servedText =
      servedRoles.length === 0
        ? `no answer shows what --model ${given} serves`
        : `--model ${given} serves ${servedRoles.join(', ')}`;
    const roles = unserved.map(({ role }) => role).join(', ');
    return withRemarks(servedText, `it was refused, or not tried, for ${roles}`);
  }
  // Nothing was tried for a role if no listed model is a candidate for it, or its cost class is not allowed.
  const unservedRoles = unserved.map(({ role, refused }) =>
    refused.length === 0 ? role : `${role} (tried ${refused.join(', ')})`,
  );
  const flags = models.length === 0 ? 'none' : modelFlags(models);
  const found = withRemarks(flags, `no model for ${unservedRoles.join(', ')}`);
  return `models found by trial (the target lists ${total}): ${found}. --model ROLE=ID sets them, --model ROLE=none turns a role off`;
}

function blindWords(role: string, id: string): string {
  return `no model for ${role}, as ${id} accepts images and nothing shows that it reads them (--model ${role}=${id} if it does)`;
}

function modelFlags(models: readonly ModelChoice[]): string {
  return models.map(({ role, id }) => `--model ${role}=${id}`).join(' ');
}

export function refusedKeyWords({ status, families: hidden, keyVariable, key }: RefusedKey): string {
  const [requests, offer] =
    hidden.length === families().length
      ? ['every request', 'what it offers']
      : [`requests for ${hidden.join(', ')}`, 'whether it offers them'];
  return (
    `The target answers ${status} to ${requests}, as it does to a path that no service has: ${offer} is not known. ` +
    keyAdvice({ keyVariable, key })
  );
}

export function keyAdvice({ keyVariable, key }: KeyFacts): string {
  return key === 'sent'
    ? `The key in ${keyVariable} was sent and refused: does it belong to this target?`
    : `No key was sent: put it in ${keyVariable}, or name its variable with --api-key-env.`;
}
