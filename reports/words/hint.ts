import type { RefusedKey } from '../../exchange/claims.ts';
import type { Hint, ModelChoice } from '../../exchange/note.ts';
import { families } from '../../schemas/index.ts';
import { plural, present, shortList, type WordsByKind, wordsByKind } from './text.ts';

const MAX_NAMED_MODELS = 3;
const MAX_NAMED = 6;

export function hintWords(hint: Hint): string {
  return wordsByKind(hint, 'kind', HINTS);
}

const HINTS: WordsByKind<'kind', Hint> = {
  'models-not-listed': ({ models, listed, total }) => {
    const more = total > listed.length ? ` and ${total - listed.length} more` : '';
    const known = total === 0 ? 'no model at all' : `${listed.join(', ')}${more}`;
    return `the target does not list the model of ${modelFlags(models)}: it lists ${known}, so requirements that need it may fail`;
  },
  'models-found': foundModelsWords,
  // The key itself is never shown, because reports are shared.
  'key-refused': () =>
    'every request was refused: the key that was sent is rejected; does it belong to this target?',
  'models-refused': ({ status, keyVariable, key }) =>
    `the target answers ${status} to the list of models, so that none was found. ${keyAdvice(keyVariable, key)}`,
  // Roles are written as options, so that they can be found in the command.
  'model-refused': ({ model, roles, status, code }) =>
    `every request with the model ${model} was refused (${`${status} ${code}`.trim()}): is ${modelFlags(roles.map((role) => ({ role, id: model })))} right?`,
  'models-not-in-reference': ({ models, offered }) =>
    `the client asked for ${shortList(models, MAX_NAMED_MODELS)}, and the reference that answered has models with other names: ` +
    `--base-url URL lets your service answer, or name one of ${offered.join(', ')}`,
  'answers-disturbed': ({ answers }) =>
    `${answers === 1 ? '1 answer was' : `${answers} answers were`} disturbed by --disturb: the original responses are not known, and not judged`,
  'marks-not-believed': ({ answers }) =>
    `${answers === 1 ? '1 answer has' : `${answers} answers have`} the field x-assay-disturbed, which any service can send: judged as its own responses. ` +
    'Where assay serve or replay --disturb answered, give --disturbed to the command that recorded, or to check',
  'answers-too-long': ({ answers }) =>
    `${answers === 1 ? '1 answer is' : `${answers} answers are`} too long to be judged, and no evidence: ` +
    'more bytes or events than assay reads, or an event of 16 MiB or more',
  'claim-not-offered': ({ names, status, offered }) => {
    const them = names.length === 1 ? 'it' : 'them';
    return (
      `the target does not offer ${names.join(', ')}, which the claim names: it answers ${status ?? 'nothing'}, as to a path that no service has. ` +
      `Implement ${them}, or take ${them} out of --claim, ASSAY_CLAIM or "claim" in the configuration: the target offers ${shortList(offered, MAX_NAMED)}`
    );
  },
  'errors-at-random': ({ requests, statuses, operations, exchanges }) => {
    const [were, them] = requests === 1 ? ['it was', 'it'] : ['they were', 'them'];
    return (
      `the target answered ${statuses.join(' or ')} to ${plural(requests, 'request')} of ${shortList(operations, MAX_NAMED)} that it answered otherwise when ${were} sent again ` +
      `(${shortList(exchanges, MAX_NAMED)}): a client that does not repeat ${them} fails`
    );
  },
  'dialect-would-excuse': ({ dialect, failures }) =>
    dialect === 'openai'
      ? `the target is api.openai.com: --dialect openai knows in what it deviates from the specification on purpose, and excuses ${failures} of the failing requirements`
      : `--dialect ${dialect} excuses ${failures} of the failing requirements, as deviations that servers of open models share`,
};

/** Models found by trial, and roles without one, as options to paste, so that the next run needs no trials. */
function foundModelsWords(hint: Extract<Hint, { kind: 'models-found' }>): string {
  const { models, without, total, given } = hint;
  if (total === 0)
    return 'the target lists no models, and none was given: set them with --model ROLE=ID, for example --model chat=my-model';
  // Models that accept images, but may not read them, are reported with their own reason and option.
  const assumed = models.filter(({ role }) => without.some((one) => one.role === role));
  const unserved = without.filter(
    ({ role, blind = [] }) => blind.length === 0 && !assumed.some((one) => one.role === role),
  );
  const further = (words: string) =>
    present(
      ...assumed.map(
        ({ role, id }) => `${id} refused the trial for ${role} for another reason, which the run shows`,
      ),
      unserved.length > 0 && words,
      ...without.flatMap(({ role, blind = [] }) => blind.map((id) => blindWords(role, id))),
    );
  if (given !== undefined) {
    const served = models.filter((one) => !assumed.includes(one)).map(({ role }) => role);
    const found =
      served.length === 0
        ? `no answer shows what --model ${given} serves`
        : `--model ${given} serves ${served.join(', ')}`;
    const roles = unserved.map(({ role }) => role).join(', ');
    return [found, ...further(`it was refused, or not tried, for ${roles}`)].join('; ');
  }
  const found = models.length === 0 ? 'none' : modelFlags(models);
  // A role has no candidates if the target lists no model, none is named like an image model, or the cost class is not allowed.
  const tried = unserved.map(({ role, refused }) =>
    refused.length === 0 ? role : `${role} (tried ${refused.join(', ')})`,
  );
  const all = [found, ...further(`no model for ${tried.join(', ')}`)].join('; ');
  return `models found by trial (the target lists ${total}): ${all}. --model ROLE=ID sets them, --model ROLE=none turns a role off`;
}

function blindWords(role: string, id: string): string {
  return `no model for ${role}, as ${id} accepts images and nothing shows that it reads them (--model ${role}=${id} if it does)`;
}

function modelFlags(models: readonly ModelChoice[]): string {
  return models.map(({ role, id }) => `--model ${role}=${id}`).join(' ');
}

export function refusedKeyWords({ status, families: hidden, keyVariable, key }: RefusedKey): string {
  const requests =
    hidden.length === families().length ? 'every request' : `requests for ${hidden.join(', ')}`;
  return (
    `The target answers ${status} to ${requests}, as it does to a path that no service has: whether it offers them is not known. ` +
    keyAdvice(keyVariable, key)
  );
}

function keyAdvice(keyVariable: string, key: 'sent' | 'none'): string {
  return key === 'sent'
    ? `The key in ${keyVariable} was sent and refused: does it belong to this target?`
    : `No key was sent: put it in ${keyVariable}, or name its variable with --api-key-env.`;
}
