const LOADS = [1, 4, 8] as const;
const REPEATED = 'context.repeated';
const BESIDE = LOADS.map((load) => `context.beside>=${load}`);

/**
 * Features of the moment in which a request was sent. `context.repeated`: an equal request was sent before;
 * `context.beside>=4`: at least four other requests were in flight.
 */
export const MOMENT_FEATURES: readonly string[] = [REPEATED, ...BESIDE];

const FIRST = momentsAfter([]);
const AGAIN = momentsAfter([REPEATED]);

/** The features of a moment. `inFlight`: how many other requests were in flight. */
export function momentFeatures(sent: 'first' | 'again', inFlight: number): readonly string[] {
  const reached = LOADS.filter((load) => inFlight >= load).length;
  return (sent === 'first' ? FIRST : AGAIN)[reached] ?? [];
}

export function isOfMoment(feature: string): boolean {
  return feature.startsWith('context.');
}

export function loadSteps(moment: string): readonly { readonly load: string; readonly next: string }[] {
  const lower = BESIDE.slice(0, Math.max(0, BESIDE.indexOf(moment)));
  return lower.map((load, i) => ({ load, next: BESIDE[i + 1] ?? moment }));
}

function momentsAfter(before: readonly string[]): readonly (readonly string[])[] {
  return [[], ...BESIDE.map((_, i) => BESIDE.slice(0, i + 1))].map((loads) => [...before, ...loads]);
}

export function reachedMoment(moment: readonly string[]): number {
  const reached = BESIDE.filter((feature) => moment.includes(feature)).length;
  return reached === 0 ? 0 : (LOADS[reached - 1] ?? 0);
}
