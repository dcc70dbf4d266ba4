import { precedes } from '../../exchange/exchange.ts';
import type { Call } from '../../judge/call.ts';
import { get, text } from '../../judge/json.ts';
import type { Evidence, Selector } from '../../judge/requirement.ts';

/** The judges that the specification names; the first one is the default. */
export const NAMES = ['text-moderation-latest', 'text-moderation-stable'] as const;

const [DEFAULT] = NAMES;

/** A moderation that named no model, and the last one before it that named the default. */
export interface ByDefault extends Evidence {
  readonly named: Call;
  readonly unnamed: Call;
}

export const byDefault: Selector<ByDefault> = {
  operations: ['createModeration'],
  variant: null,
  collect: () => {
    let named: Call | null = null;
    return {
      call: (call) => {
        if (text(call.answer, 'model') === undefined) return [];
        const model = get(call.asked, 'model');
        if (model === DEFAULT) named = call;
        if (model !== undefined || named === null || !precedes(named.exchange, call.exchange)) return [];
        return [{ named, unnamed: call, exchanges: [named.exchange, call.exchange] }];
      },
      finish: () => [],
    };
  },
};
