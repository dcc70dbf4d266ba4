import type { Exchange } from '../../exchange/exchange.ts';
import { Call } from '../call.ts';
import type { GreenTrace } from '../catalogue.ts';
import { ChoiceRegister } from '../choices.ts';
import { Gathering } from '../gathering.ts';
import type { Choice, Evidence } from '../requirement.ts';

/** Examples of alternatives that a choice, which the trace shows something of, does not notice. */
export function unseenExamples(choices: readonly Choice<Evidence>[], green: GreenTrace) {
  return choices.flatMap((choice) => {
    const trace = green.calls(choice.on.operations).map(({ exchange }) => exchange);
    const taken = (exchanges: readonly Exchange[]): readonly string[] => {
      const register = new ChoiceRegister([choice]);
      const gathering = new Gathering(register.listeners());
      for (const exchange of exchanges) {
        const call = Call.of(exchange, green.header.betaHeader);
        if (call !== null) gathering.call(call);
      }
      gathering.finish();
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
