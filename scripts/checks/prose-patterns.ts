/** A turn of phrase that readers stumble over, and the usual one. */
export interface ProsePattern {
  /** The phrase as a report names it. */
  readonly name: string;
  /** Without the flag g, as it would remember its position between texts. */
  readonly matches: RegExp;
  /** The usual phrase. */
  readonly advice: string;
}

/** Start of a text or of a sentence in it; a colon and a quotation mark begin one, too. */
const SENTENCE = '(?:^|[.!?:;»"“”]\\s+|^[-*|>\\s`]+)';

/** Words that do the work of a standard term elsewhere. Applied to sentences of comments, messages, help and documents. */
export const PROSE_PATTERNS: readonly ProsePattern[] = [
  {
    name: 'headless "What …"',
    matches: new RegExp(`${SENTENCE}What (?![^.!?]*\\?)(?:'s )?[a-z]`, 'm'),
    advice: 'Begin with the thing itself: "Options of …", "The response that …".',
  },
  {
    name: 'headless "Who …"',
    matches: new RegExp(`${SENTENCE}(?:Who|Whose) (?![^.!?]*\\?)[a-z]`, 'm'),
    advice: 'Name the person or the part: "A caller that …".',
  },
  {
    name: '"tell" for show, report, return or contain',
    matches: /\b(?:tells?|told|telling|retells?|retold)\b/i,
    advice: 'Write shows, reports, returns, contains or distinguishes.',
  },
  {
    name: '"is no" for "is not a"',
    matches: /\b(?:is|are|was|were|be|been) (?:no|none)\b(?! (?:longer|more|less|later|matter))/i,
    advice: 'Write "is not a …", or "there is no …" as "X has no …".',
  },
  {
    name: '"nobody", "whoever"',
    matches: /\b(?:nobody|whoever|whomever|whatever becomes?)\b/i,
    advice: 'Name who: "no client", "any caller".',
  },
  {
    name: '"of its own"',
    matches: /\bof (?:its|their|our|one's|his|your) own\b/i,
    advice: 'Write its own X, a separate X, or leave it out.',
  },
  { name: '"by the way"', matches: /\bby the way\b/i, advice: 'Leave it out, or give it a sentence.' },
  { name: '"for the sake of"', matches: /\bfor the sake of\b/i, advice: 'Write because of, or for.' },
  { name: '"in vain"', matches: /\bin vain\b/i, advice: 'Write without success, or timed out.' },
  { name: '"vouch"', matches: /\bvouch(?:es|ed)?\b/i, advice: 'Write trusted, known or verified.' },
  {
    name: '"let by"',
    matches: /\blets? (?:it |them |these )?by\b/i,
    advice: 'Write accept, ignore or pass.',
  },
  {
    name: '"came to", "comes to" for result in',
    matches: /\bwhat (?:\w+ )*(?:comes?|came) (?:to|of it|of them)\b/i,
    advice: 'Write the result of, or results in.',
  },
];
