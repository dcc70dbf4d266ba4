import { type RoleName, roleNames } from '../../drive/scenario/model-roles.ts';
import {
  type CallInput,
  type Scenario,
  type ScenarioContext,
  scenario,
} from '../../drive/scenario/scenario.ts';
import type { Probe } from '../../exchange/exchange.ts';
import { matchesAnyGlob } from '../../exchange/glob.ts';
import {
  bodyTree,
  constraintsOfOperation,
  ownersBefore,
  type ProbeSide,
  pathParameterOf,
  type RequestConstraint,
} from '../../judge/probe/request-constraints.ts';
import { operation as operationOf } from '../../schemas/index.ts';
import { groupBy } from '../../schemas/maps.ts';
import { ProbeSender } from './probe-sender.ts';
import { baseProbe, type PlannedProbe, probesOf, variantOf } from './probes.ts';
import type { BaseRequest, ReadyRequest } from './requests.ts';

const REQUIRED = 'required';

/** Returns one scenario per group (`groupOf`) with a probe, so that a control stays close to its violation. */
export function probeScenarios(bases: readonly BaseRequest[]): readonly Scenario[] {
  return bases.flatMap((base) =>
    [...groupBy(constraintsFor(base, bases), groupOf)]
      .filter(([, constraints]) =>
        constraints.some((one) => isSent(base, one, 'valid') || isSent(base, one, 'violation')),
      )
      .map(([group, constraints], _, groups) => {
        const bodyFields =
          group === REQUIRED ? groups.flatMap(([, others]) => others.filter(isOnBodyField)) : [];
        return probeScenario({ base, group, constraints, bodyFields });
      }),
  );
}

/** The constraints that a base covers: those in its `only`, by default all, without those in `only` of another base. */
export function constraintsFor(
  base: BaseRequest,
  bases: readonly BaseRequest[],
): readonly RequestConstraint[] {
  const variant = variantOf(base);
  const others = bases.filter(
    (other) => other !== base && other.operation === base.operation && variantOf(other) === variant,
  );
  const claimed = others.flatMap((other) => other.only ?? []);
  return constraintsOfOperation(base.operation).filter(
    ({ variant: name, pointer }) =>
      name === variant.name &&
      !matchesAnyGlob(claimed, pointer) &&
      (base.only === undefined || matchesAnyGlob(base.only, pointer)),
  );
}

/** A valid probe may be a control; a violation must be rejected, or its outcome is a choice. */
function isSent(base: BaseRequest, constraint: RequestConstraint, side: Probe['side']): boolean {
  if (side === 'valid') return !isProbeLeftOut(base, constraint, 'accepted');
  const isJudged = constraint.sides.includes('rejected') || constraint.keyword === 'unknown';
  return isJudged && !isProbeLeftOut(base, constraint, 'rejected');
}

export function isProbeLeftOut(base: BaseRequest, constraint: RequestConstraint, side: ProbeSide): boolean {
  const id = `${constraint.pointer}#${constraint.keyword}.${side}`;
  return matchesAnyGlob(Object.keys(base.leave ?? {}), id);
}

function isOnBodyField({ carrier, keyword, steps }: RequestConstraint): boolean {
  return keyword === 'type' && steps.length === 1 && (carrier === 'json' || carrier === 'multipart');
}

/**
 * The group whose constraints share a scenario: one field or path parameter, the query, or the required fields, to
 * which constraints on the body as a whole belong.
 */
function groupOf({ carrier, steps, keyword }: RequestConstraint): string {
  const [first] = steps;
  if (carrier === 'query') return 'query';
  if (first?.step !== 'property' || (keyword === 'required' && steps.length === 1)) return REQUIRED;
  return carrier === 'path' ? `path.${first.name}` : first.name;
}

interface ProbeGroup {
  readonly base: BaseRequest;
  readonly group: string;
  readonly constraints: readonly RequestConstraint[];
  /** One constraint per body field, for the valid requests of `sendRicher`; empty except for the required fields. */
  readonly bodyFields: readonly RequestConstraint[];
}

function probeScenario(probes: ProbeGroup): Scenario {
  const { base, group, constraints } = probes;
  const operation = operationOf(base.operation);
  const variant = variantOf(base);
  const subject = constraints[0]?.subject ?? operation.id;
  const suffix = base.only === undefined ? '' : `.${base.roles?.join('+') ?? 'more'}`;
  const name = `${variant.family}.probe.${subject}.${group}${suffix}`;
  return scenario({
    name,
    family: variant.family,
    operations: [operation.id],
    cost: [...new Set([operation.cost, ...(base.cost ?? [])])],
    roles: requiredRoles(base),
    optionalRoles: base.optionalRoles ?? [],
    probes: true,
    ...(base.lists === undefined ? {} : { lists: base.lists }),
    run: (context) => sendProbes(name, probes, context),
  });
}

async function sendProbes(
  scenarioName: string,
  { base, group, constraints, bodyFields }: ProbeGroup,
  context: ScenarioContext,
): Promise<void> {
  const elsewhere = await createOtherPath(base, constraints, context);
  const ready = { ...(await base.ready(context)), ...(elsewhere && { elsewhere }) };
  const controls = new Controls();
  const sender = new ProbeSender(context, {
    operation: base.operation,
    base: baseProbe(base, ready, { label: `${scenarioName}.base`, field: group }),
    renew: ready.renew,
  });
  for (const constraint of constraints) {
    const planned = probesOf(constraint, base, ready, context);
    for (const one of planned.filter(({ probe }) => isSent(base, constraint, probe.side))) {
      const probe = controls.labelFor(constraint, one);
      if (probe === null) continue;
      if (constraint.carrier === 'path') await sender.sendPath({ ...one, probe });
      else await sender.send({ ...one, probe });
    }
  }
  await sender.sendRicher(
    requestsWithBodyFields(bodyFields, (constraint) => probesOf(constraint, base, ready, context)),
  );
}

/** Creates a second object if the id of the first is probed below the wrong owner; returns the path of the second. */
async function createOtherPath(
  base: BaseRequest,
  constraints: readonly RequestConstraint[],
  context: ScenarioContext,
): Promise<ReadyRequest['elsewhere']> {
  const isNeeded = constraints.some(
    (one) =>
      one.carrier === 'path' &&
      one.keyword === 'unknown' &&
      ownersBefore(one.operation, pathParameterOf(one)).length > 0,
  );
  return isNeeded ? (await base.ready(context)).path : undefined;
}

function* requestsWithBodyFields(
  bodyFields: readonly RequestConstraint[],
  probes: (constraint: RequestConstraint) => readonly PlannedProbe[],
): Generator<CallInput> {
  for (const constraint of bodyFields) {
    const valid = probes(constraint).find(({ probe }) => probe.side === 'valid');
    if (valid !== undefined) yield valid.input;
  }
}

/** The valid requests that were sent, so that none is sent again merely to serve as a control. */
class Controls {
  readonly #sent = new Map<string, string>();
  readonly #replacements = new Map<string, string>();

  /** Returns the label of a probe; null if it is not to be sent, because it is a mere control that was already sent. */
  labelFor({ sides }: RequestConstraint, { probe, input }: PlannedProbe): PlannedProbe['probe'] | null {
    if (probe.side === 'violation') {
      const { control } = probe;
      return { ...probe, control: this.#replacements.get(control ?? '') ?? control };
    }
    if (input.form !== undefined) return probe;
    const request = JSON.stringify(input);
    const known = this.#sent.get(request);
    if (known === undefined) this.#sent.set(request, probe.id);
    if (known === undefined || sides.includes('accepted')) return probe;
    this.#replacements.set(probe.id, known);
    return null;
  }
}

export function requiredRoles(base: BaseRequest): readonly RoleName[] {
  const required = bodyTree(variantOf(base))?.members.filter((member) => member.required) ?? [];
  const named = required.map(({ node }) => node.notes['x-model-role']);
  return roleNames().filter((role) => named.includes(role) || base.roles?.includes(role));
}
