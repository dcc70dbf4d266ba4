// Hints in words.

import type { RefusedKey } from '../../exchange/claims.ts';
import type { Hint, ModelChoice } from '../../exchange/note.ts';
import { families } from '../../schemas/index.ts';
import { shortList } from './figure.ts';

/** Models of a client that are named; more are counted. */
const MODELS_NAMED = 3;

/** A hint on the target or the configuration, with the option to change. */
export function hintWords(hint: Hint): string {
  switch (hint.kind) {
    case 'models-not-listed': {
      const { listed, total } = hint;
      // A few names are enough to recognise a misspelt one.
      const more = total > listed.length ? ` and ${total - listed.length} more` : '';
      const known = total === 0 ? 'no model at all' : `${listed.join(', ')}${more}`;
      return `the target does not list the model of ${flags(hint.models)}: it lists ${known}, so requirements that need it may fail`;
    }
    case 'models-found':
      return foundModelsWords(hint);
    // Its value is not shown, as reports are passed on, and a recording does not say which variable it came from: the next step does.
    case 'key-refused':
      return 'every request was refused: the key that was sent is rejected; does it belong to this target?';
    case 'model-refused': {
      const { model, roles, status, code } = hint;
      const why = `${status} ${code}`.trim();
      // Written as the options to change, so that they can be found in the command.
      const given = roles.map((role) => `--model ${role}=${model}`).join(' ');
      return `every request with the model ${model} was refused (${why}): is ${given} right?`;
    }
    case 'models-not-in-reference':
      return (
        `the client asked for ${shortList(hint.models, MODELS_NAMED)}, and the reference that answered has models of other names: ` +
        `--base-url URL lets your service answer, or name one of ${hint.offered.join(', ')}`
      );
    case 'answers-disturbed':
    case 'marks-not-believed':
      return markedAnswers(hint);
    // Of a recording of version 0.1 or earlier, which stored words.
    case 'text':
      return hint.message;
    default:
      return hint satisfies never;
  }
}

/** Answers with the mark of a disturber: those that were left out, or those that were judged all the same. */
function markedAnswers({
  kind,
  answers,
}: Extract<Hint, { kind: 'answers-disturbed' | 'marks-not-believed' }>): string {
  const number = answers === 1 ? '1 answer' : `${answers} answers`;
  if (kind === 'answers-disturbed')
    return `${number} ${answers === 1 ? 'was' : 'were'} spoiled by --disturb: what the service said there is not known, and not judged`;
  return (
    `${number} ${answers === 1 ? 'has' : 'have'} the field x-assay-disturbed, which any service can send: judged as its own words. ` +
    'Where assay serve or replay --disturb answered, give --disturbed to the command that recorded, or to check'
  );
}

/**
 * The models that a run found by itself, and the roles without one: written as options, so that they can be pasted into the
 * next command, which then needs no trials.
 */
function foundModelsWords({
  models,
  without,
  total,
  given,
}: Extract<Hint, { kind: 'models-found' }>): string {
  if (total === 0)
    return 'the target lists no models, and none was given: set them with --model ROLE=ID, for example --model chat=my-model';
  // A model that accepts images was not refused: it has a reason, and an option, for itself.
  const assumed = models.filter(({ role }) => without.some((one) => one.role === role));
  const unserved = without.filter(
    ({ role, blind = [] }) => blind.length === 0 && !assumed.some((one) => one.role === role),
  );
  const roles = unserved.map(({ role }) => role).join(', ');
  const blindly = without.flatMap(({ role, blind = [] }) => blind.map((id) => blindWords(role, id)));
  if (given !== undefined) {
    const served = models.filter((one) => !assumed.includes(one)).map(({ role }) => role);
    return [
      served.length === 0
        ? `no answer shows what --model ${given} serves`
        : `--model ${given} serves ${served.join(', ')}`,
      ...assumed.map(({ role, id }) => refusalWords(role, id)),
      ...(roles === '' ? [] : [`it was refused, or not tried, for ${roles}`]),
      ...blindly,
    ].join('; ');
  }
  const found = models.length === 0 ? 'none' : flags(models);
  // A role without candidates had no listed name that fits, or a cost class that is not allowed.
  const tried = unserved.map(({ role, refused }) =>
    refused.length === 0 ? role : `${role} (tried ${refused.join(', ')})`,
  );
  const missing = [
    ...assumed.map(
      ({ role, id }) => `${id} refused the trial for ${role} for another reason, which the run shows`,
    ),
    ...(tried.length === 0 ? [] : [`no model for ${tried.join(', ')}`]),
    ...blindly,
  ];
  return `models found by trial (the target lists ${total}): ${[found, ...missing].join('; ')}. --model ROLE=ID sets them, --model ROLE=none turns a role off`;
}

/** Of a model whose trial was refused for another reason than the model. */
function refusalWords(role: string, id: string): string {
  return `${id} refused the trial for ${role} for another reason, which the run shows`;
}

/** Why a model that accepts images has no role for them, and the option that gives it one. */
function blindWords(role: string, id: string): string {
  return `no model for ${role}, as ${id} accepts images and nothing shows that it looks at them (--model ${role}=${id} if it does)`;
}

/** Models as options of the command line. */
function flags(models: readonly ModelChoice[]): string {
  return models.map(({ role, id }) => `--model ${role}=${id}`).join(' ');
}

// What is known of a target that refuses the key before it looks at the path.

/** The answers, what they leave unknown, and what to do about the key. */
export function refusedKeyWords({ status, families: hidden, keyVariable, key }: RefusedKey): string {
  const asked = hidden.length === families().length ? 'every request' : `requests for ${hidden.join(', ')}`;
  return (
    `The target answers ${status} to ${asked}, as it does to a path that no service has: whether it offers them is not known. ` +
    keyAdvice(keyVariable, key)
  );
}

/** What to do where requests were refused for their key, or for want of one. */
function keyAdvice(keyVariable: string, key: 'sent' | 'none'): string {
  return key === 'sent'
    ? `The key in ${keyVariable} was sent and refused: does it belong to this target?`
    : `No key was sent: put it in ${keyVariable}, or name its variable with --api-key-env.`;
}
