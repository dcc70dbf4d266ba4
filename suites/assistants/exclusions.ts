import type { Exclusion } from '../../judge/requirements/requirement.ts';

const SPEC = '1 Assistant';

/** Sentences about assistants that an exchange cannot show. */
export const exclusions: readonly Exclusion[] = [
  {
    id: 'assistants.one-sampling-knob',
    spec: SPEC,
    says: 'A caller changes temperature or top_p, not both.',
    reason: 'It is advice to callers; the service promises nothing about it.',
  },
  {
    id: 'assistants.sampling.effect',
    spec: SPEC,
    says: 'Temperature and top_p decide how tokens are drawn.',
    reason: 'A distribution is not seen in a few answers, and answers are the choice of the model.',
  },
  {
    id: 'assistants.instructions.effect',
    spec: SPEC,
    says: 'The instructions steer the model.',
    reason: 'How a model follows instructions is its own choice.',
  },
  {
    id: 'assistants.json-mode.instruction',
    spec: SPEC,
    says: 'In JSON mode the caller asks for JSON in a message, too.',
    reason: 'It is a duty of callers; what happens otherwise is only possible, not promised.',
  },
  {
    id: 'assistants.json-mode.whitespace',
    spec: SPEC,
    says: 'Without that the model may write white space up to the limit, and the request take long.',
    reason: 'It is a possibility without a bound.',
  },
  {
    id: 'assistants.json-mode.truncation',
    spec: SPEC,
    says: 'Content may be cut off where finish_reason is length.',
    reason: 'It is a possibility, and no object of this part has a finish_reason.',
  },
  {
    id: 'assistants.tools.carried-out',
    spec: '1 What the service does',
    says: 'Code interpreter, retrieval and file search are carried out.',
    reason: 'Whether a model uses a tool is its own choice, and the form of such calls is not shown.',
  },
  {
    id: 'assistants.ids.opaque',
    spec: '1 Common shapes',
    says: 'Identifiers are opaque.',
    reason: 'There is nothing that an opaque text could contradict.',
  },
  {
    id: 'assistants.state.none',
    spec: '1 States and transitions',
    says: 'Assistants, threads, assistant files and message files have no state.',
    reason: 'Fields that are not listed are allowed everywhere, so their absence is not demanded.',
  },
  {
    id: 'assistants.length.unit',
    spec: '1 Limits',
    says: 'Lengths are counted in characters.',
    reason: 'Which unit is meant shows only beyond ASCII, and probes keep to ASCII.',
  },
];
