import type { Exchange } from '../../exchange/exchange.ts';
import { firstHeader } from '../../exchange/http/headers.ts';
import type { RequirementSet } from '../requirements/catalogue.ts';
import type { Evaluator } from '../requirements/evaluator.ts';
import { isClientRequirement } from '../requirements/selection.ts';
import { Call } from '../trace/call.ts';

/** Requests of the suite do not count, because some are invalid on purpose. */
export function isFromClient({ scenario, probe }: Exchange): boolean {
  return scenario === null && probe === null;
}

/** Throws unless the id of every requirement begins with `client.` or `client:`. */
export function markAsClientSide(set: RequirementSet): RequirementSet {
  const misnamed = set.requirements.find(({ id }) => !isClientRequirement(id));
  if (misnamed !== undefined)
    throw new Error(`The id of the client requirement ${misnamed.id} must begin with client. or client:`);
  const { evidenceListeners: _, touching, ...common } = set;
  return {
    ...common,
    ...(touching !== undefined && { touching: (operations) => markAsClientSide(touching(operations)) }),
    requirements: set.requirements.map((requirement) => ({ ...requirement, side: 'client' })),
    open: (sink, only) => clientEvaluator(set.open(sink, only), sink.header.betaHeader),
  };
}

function clientEvaluator(evaluator: Evaluator, betaHeader: string): Evaluator {
  return {
    seesDisturbed: true,
    call: (call) => {
      if (isFromClient(call.exchange)) evaluator.call(interpretAsSent(call, betaHeader));
    },
    download: (exchange) => {
      if (isFromClient(exchange)) evaluator.download?.(exchange);
    },
    context: (call) => {
      if (isFromClient(call.exchange)) evaluator.context?.(interpretAsSent(call, betaHeader));
    },
    outside: (call) => {
      if (isFromClient(call.exchange)) evaluator.outside?.(call);
    },
    ...(evaluator.next !== undefined && { next: (before) => evaluator.next?.(before) }),
    finish: () => evaluator.finish(),
  };
}

/** Parses the call with the beta header that the client uses: the specification leaves the vendor in its name open. */
export function interpretAsSent(call: Call, betaHeader: string): Call {
  const { headers } = call.exchange.request;
  if (firstHeader(headers, betaHeader) !== null) return call;
  const name = betaHeaderOf(call.exchange);
  return name === null ? call : (Call.from(call.exchange, name) ?? call);
}

export function betaHeaderOf({ request }: Exchange): string | null {
  const field = request.headers.find(
    ([name, value]) => /^[\w-]+-beta$/i.test(name) && /\bassistants=v\d/.test(value),
  );
  return field?.[0] ?? null;
}
