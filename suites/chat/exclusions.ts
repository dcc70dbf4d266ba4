import type { Exclusion } from '../../judge/requirements/requirement.ts';

const CHAT = '2 Chat completions';

/** Sentences about chat that an exchange cannot show. */
export const exclusions: readonly Exclusion[] = [
  {
    id: 'chat.context-length',
    spec: CHAT,
    says: 'Read and written tokens together fit the context of the model.',
    reason: 'The context length of a model is not shown.',
  },
  {
    id: 'chat.logit-bias.effect',
    spec: CHAT,
    says: 'A bias is added to the logits of a token: a small one nudges, and -100 bans it.',
    reason:
      'Which token has which number in a model is not shown, so it is not seen that one is missing or rarer.',
  },
  {
    id: 'chat.penalties.effect',
    spec: CHAT,
    says: 'Penalties make repeated tokens less likely.',
    reason: 'A likelihood does not show in the few replies that a run can pay for.',
  },
  {
    id: 'chat.sampling.effect',
    spec: CHAT,
    says: 'Temperature and top_p change how tokens are drawn; only one of them is best changed.',
    reason: 'A distribution does not show in a few replies, and the advice is for clients.',
  },
  {
    id: 'chat.n.billing',
    spec: CHAT,
    says: 'All choices are billed.',
    reason: 'Billing is not part of the API.',
  },
  {
    id: 'chat.json-mode.instruction',
    spec: CHAT,
    says: 'JSON mode needs an instruction to write JSON, else the reply may be blank until the limit.',
    reason: 'It is a duty of clients, and the result without it is left open.',
  },
  {
    id: 'chat.length.truncation',
    spec: CHAT,
    says: 'A message may be cut off where finish_reason is length.',
    reason: 'It is a permission; the requirements for whole messages leave such replies out.',
  },
  {
    id: 'chat.fingerprint.meaning',
    spec: '2 Chat completion',
    says: 'The system_fingerprint changes with the configuration of the backend.',
    reason: 'The configuration is not visible in a response.',
  },
  {
    id: 'chat.tool-choice.auto-by-default',
    spec: CHAT,
    says: 'The default of tool_choice is auto where tools are given.',
    reason: 'With auto the model decides, so a reply does not show whether the default is auto.',
  },
  {
    id: 'chat.stream-options.other-fields',
    spec: CHAT,
    says: 'The stream_options have more fields.',
    reason: 'They are not shown, so no requirement about them can be violated.',
  },
  {
    id: 'chat.message.other-fields',
    spec: '2 Chat completion',
    says: 'Messages have more elements, such as tool results.',
    reason: 'Their form is not shown, so no requirement about them can be violated.',
  },
];
