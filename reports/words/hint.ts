import type { RefusedKey } from '../../exchange/claims.ts';
import type { Hint, ModelChoice } from '../../exchange/note.ts';
import { families } from '../../schemas/index.ts';
import { plural, present, shortList } from './text.ts';

const MODELS_NAMED = 3;
const NAMED = 6;

export function hintWords(hint: Hint): string {
  switch (hint.kind) {
    case 'models-not-listed': {
      const { listed, total } = hint;
      const more = total > listed.length ? ` and ${total - listed.length} more` : '';
      const known = total === 0 ? 'no model at all' : `${listed.join(', ')}${more}`;
      return `the target does not list the model of ${flags(hint.models)}: it lists ${known}, so requirements that need it may fail`;
    }
    case 'models-found':
      return foundModelsWords(hint);
    // The key itself is never shown, because reports are shared.
    case 'key-refused':
      return 'every request was refused: the key that was sent is rejected; does it belong to this target?';
    case 'models-refused':
      return `the target answers ${hint.status} to the list of models, so that none was found. ${keyAdvice(hint.keyVariable, hint.key)}`;
    case 'model-refused': {
      const { model, roles, status, code } = hint;
      const why = `${status} ${code}`.trim();
      // Written as options, so that they can be found in the command.
      const given = roles.map((role) => `--model ${role}=${model}`).join(' ');
      return `every request with the model ${model} was refused (${why}): is ${given} right?`;
    }
    case 'models-not-in-reference':
      return (
        `the client asked for ${shortList(hint.models, MODELS_NAMED)}, and the reference that answered has models with other names: ` +
        `--base-url URL lets your service answer, or name one of ${hint.offered.join(', ')}`
      );
    case 'answers-disturbed':
    case 'marks-not-believed':
      return markedAnswers(hint);
    case 'answers-too-long':
      return (
        `${hint.answers === 1 ? '1 answer is' : `${hint.answers} answers are`} too long to be judged, and no evidence: ` +
        'more bytes or events than assay reads, or an event of 16 MiB or more'
      );
    case 'claim-not-offered': {
      const { names, status, offered } = hint;
      return (
        `the target does not offer ${names.join(', ')}, which the claim names: it answers ${status ?? 'nothing'}, as to a path that no service has. ` +
        `Implement ${names.length === 1 ? 'it' : 'them'}, or take ${names.length === 1 ? 'it' : 'them'} out of --claim, ASSAY_CLAIM or "claim" in the configuration: the target offers ${shortList(offered, NAMED)}`
      );
    }
    case 'errors-at-random': {
      const { requests, statuses, operations, exchanges } = hint;
      const one = requests === 1;
      return (
        `the target answered ${statuses.join(' or ')} to ${plural(requests, 'request')} of ${shortList(operations, NAMED)} that it answered otherwise when ${one ? 'it was' : 'they were'} sent again ` +
        `(${shortList(exchanges, NAMED)}): a client that does not repeat ${one ? 'it' : 'them'} fails`
      );
    }
    case 'dialect-would-excuse':
      if (hint.dialect === 'openai')
        return `the target is api.openai.com: --dialect openai knows in what it deviates from the specification on purpose, and excuses ${hint.failures} of the failing requirements`;
      return `--dialect ${hint.dialect} excuses ${hint.failures} of the failing requirements, as deviations that servers of open models share`;
    default:
      return hint satisfies never;
  }
}

/** Responses that a disturber marked: left out of the verdict, or judged because the mark is not trusted. */
function markedAnswers({
  kind,
  answers,
}: Extract<Hint, { kind: 'answers-disturbed' | 'marks-not-believed' }>): string {
  const number = answers === 1 ? '1 answer' : `${answers} answers`;
  if (kind === 'answers-disturbed')
    return `${number} ${answers === 1 ? 'was' : 'were'} disturbed by --disturb: the original responses are not known, and not judged`;
  return (
    `${number} ${answers === 1 ? 'has' : 'have'} the field x-assay-disturbed, which any service can send: judged as its own responses. ` +
    'Where assay serve or replay --disturb answered, give --disturbed to the command that recorded, or to check'
  );
}

/**
 * The models found by trial, and the roles without one: written as options to paste, so that the next run
 * needs no trials.
 */
function foundModelsWords({
  models,
  without,
  total,
  given,
}: Extract<Hint, { kind: 'models-found' }>): string {
  if (total === 0)
    return 'the target lists no models, and none was given: set them with --model ROLE=ID, for example --model chat=my-model';
  // Vision models have a reason and an option of their own.
  const assumed = models.filter(({ role }) => without.some((one) => one.role === role));
  const unserved = without.filter(
    ({ role, blind = [] }) => blind.length === 0 && !assumed.some((one) => one.role === role),
  );
  const roles = unserved.map(({ role }) => role).join(', ');
  const blindly = without.flatMap(({ role, blind = [] }) => blind.map((id) => blindWords(role, id)));
  if (given !== undefined) {
    const served = models.filter((one) => !assumed.includes(one)).map(({ role }) => role);
    return present(
      served.length === 0
        ? `no answer shows what --model ${given} serves`
        : `--model ${given} serves ${served.join(', ')}`,
      ...assumed.map(({ role, id }) => refusalWords(role, id)),
      roles !== '' && `it was refused, or not tried, for ${roles}`,
      ...blindly,
    ).join('; ');
  }
  const found = models.length === 0 ? 'none' : flags(models);
  // A role without candidates: the target lists no model, none by the name of an image model, or the cost class is not allowed.
  const tried = unserved.map(({ role, refused }) =>
    refused.length === 0 ? role : `${role} (tried ${refused.join(', ')})`,
  );
  const missing = present(
    ...assumed.map(
      ({ role, id }) => `${id} refused the trial for ${role} for another reason, which the run shows`,
    ),
    tried.length > 0 && `no model for ${tried.join(', ')}`,
    ...blindly,
  );
  return `models found by trial (the target lists ${total}): ${[found, ...missing].join('; ')}. --model ROLE=ID sets them, --model ROLE=none turns a role off`;
}

function refusalWords(role: string, id: string): string {
  return `${id} refused the trial for ${role} for another reason, which the run shows`;
}

function blindWords(role: string, id: string): string {
  return `no model for ${role}, as ${id} accepts images and nothing shows that it reads them (--model ${role}=${id} if it does)`;
}

function flags(models: readonly ModelChoice[]): string {
  return models.map(({ role, id }) => `--model ${role}=${id}`).join(' ');
}

/** The responses, what they leave undecided, and what to do about the key. */
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
