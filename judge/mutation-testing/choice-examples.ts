// Choices never fail, so they are tested otherwise: an example of each alternative must be recognised as that
// alternative.
import type { Exchange } from '../../exchange/exchange.ts';
import { SelectorDispatch } from '../evidence/selector-dispatch.ts';
import type { BaselineTrace } from '../requirements/catalogue.ts';
import { ChoiceTracker } from '../requirements/choices.ts';
import type { Choice, Evidence } from '../requirements/requirement.ts';
import { Call } from '../trace/call.ts';

/**
 * Examples of alternatives that their choice does not recognise. Choices without evidence in the trace are left
 * out.
 */
export function undetectedChoiceExamples(choices: readonly Choice<Evidence>[], baseline: BaselineTrace) {
  return choices.flatMap((choice) => {
    const trace = baseline.calls(choice.selector.operations).map(({ exchange }) => exchange);
    const taken = (exchanges: readonly Exchange[]): readonly string[] => {
      const register = new ChoiceTracker([choice]);
      const dispatch = new SelectorDispatch(register.listeners());
      for (const exchange of exchanges) {
        const call = Call.of(exchange, baseline.header.betaHeader);
        if (call !== null) dispatch.call(call);
      }
      dispatch.finish();
      return register.verdicts()[0]?.taken ?? [];
    };
    if (choice.examples === undefined || taken(trace).length === 0) return [];
    return Object.entries(choice.examples).flatMap(([alternative, edit]) => {
      const changed = edit(trace);
      const seen = changed !== null && taken(changed).includes(alternative);
      const why = changed === null ? 'it applies to nothing in the trace' : 'the choice does not notice';
      return seen ? [] : [{ requirement: choice.id, mutant: `example of ${alternative}`, why }];
    });
  });
}
