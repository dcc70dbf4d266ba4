// One failure on the page: its rule, what was expected and what came, and the exchanges that prove it.
import type { Exchange } from '../../../exchange/exchange.ts';
import type { RequirementVerdict } from '../../../judge/verdict/verdict.ts';
import { truncateText } from '../../failure/excerpt.ts';
import { type FailureContext, type FailureText, shownEvidence } from '../../failure/failure.ts';
import { wrapCommand } from '../../terminal/wrap.ts';
import { html, type Markup } from '../markup.ts';
import { exchangeEvidence } from './exchange.ts';
import { waterfall } from './waterfall.ts';

/** The inside of a failure: pairs of expected and actual, evidence, commands. */
export function failureBody(text: FailureText, shown: RequirementVerdict, context: FailureContext): Markup {
  return html`<p class="rule">${`${text.level} · spec ${text.spec} · ${shown.family}`}</p>
${pairs(text)}
${text.more === null ? null : html`<p class="facts">${text.more}</p>`}
${text.consequenceOf.length === 0 ? null : html`<p class="facts">${`because of ${text.consequenceOf.join(', ')}`}</p>`}
${evidence(shown, context)}
${nextCommands(text.next)}`;
}

/** Expected beside actual, for each place. */
function pairs({ findings }: FailureText): Markup {
  return html`<div class="pairs">${findings.map(
    ({ at, expected, actual }) => html`<dl class="pair"><div class="at"><dt>at</dt><dd>${at}</dd></div>
<div class="expected"><dt>expected</dt><dd>${expected}</dd></div><div class="actual"><dt>actual</dt><dd>${brief(actual)}</dd></div></dl>`,
  )}</div>`;
}

/** Characters of an object or a list; the body below shows more of it. */
const CONTAINER = 120;

/** An object or a list, shortened; any other value stays whole. */
function brief(actual: string): string {
  return /^[[{]/.test(actual) ? truncateText(actual, CONTAINER) : actual;
}

/** The exchanges that prove a failure: over time, and with the cited places marked. Nothing where they were not kept. */
function evidence(shown: RequirementVerdict, context: FailureContext): Markup | null {
  const { findings, exchanges } = shownEvidence(shown, context);
  const kept = exchanges.flatMap((id): Exchange[] => {
    const exchange = context.exchange(id);
    return exchange === undefined ? [] : [exchange];
  });
  if (kept.length === 0) return null;
  const parts = kept.map((one) =>
    exchangeEvidence(
      one,
      findings.filter(({ exchange }) => exchange === one.id),
    ),
  );
  return html`<div class="evidence">${waterfall(kept)}${parts}</div>`;
}

/** Columns of a command; a shell joins its lines again. */
const COMMAND_COLUMNS = 96;

/** What to type to repeat the failure, or to see more of it. */
export function nextCommands(next: FailureText['next']): Markup {
  const lines = ({ what, text }: FailureText['next'][number]) =>
    what === 'set' ? text : wrapCommand(text, COMMAND_COLUMNS).join('\n');
  return html`<dl class="next">${next.map((one) => html`<dt>${one.what}</dt><dd><code>${lines(one)}</code></dd>`)}</dl>`;
}
