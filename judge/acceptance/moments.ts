const LOAD_STEPS = [1, 4, 8] as const;
const REPEATED = 'context.repeated';
const LOAD_FEATURES = LOAD_STEPS.map((load) => `context.beside>=${load}`);

/** `context.repeated`: an equal request was sent before; `context.beside>=4`: at least four other requests were in flight. */
export const MOMENT_FEATURES: readonly string[] = [REPEATED, ...LOAD_FEATURES];

const FIRST_MOMENTS = momentsAfter([]);
const REPEATED_MOMENTS = momentsAfter([REPEATED]);

/** The features of a moment. `inFlight`: how many other requests were in flight. */
export function momentFeatures(sent: 'first' | 'again', inFlight: number): readonly string[] {
  const reached = LOAD_STEPS.filter((load) => inFlight >= load).length;
  return (sent === 'first' ? FIRST_MOMENTS : REPEATED_MOMENTS)[reached] ?? [];
}

export function isOfMoment(feature: string): boolean {
  return feature.startsWith('context.');
}

export function loadSteps(moment: string): readonly { readonly load: string; readonly next: string }[] {
  const lower = LOAD_FEATURES.slice(0, Math.max(0, LOAD_FEATURES.indexOf(moment)));
  return lower.map((load, i) => ({ load, next: LOAD_FEATURES[i + 1] ?? moment }));
}

function momentsAfter(before: readonly string[]): readonly (readonly string[])[] {
  return [[], ...LOAD_FEATURES.map((_, i) => LOAD_FEATURES.slice(0, i + 1))].map((loads) => [
    ...before,
    ...loads,
  ]);
}

export function reachedMoment(moment: readonly string[]): number {
  const reached = LOAD_FEATURES.filter((feature) => moment.includes(feature)).length;
  return reached === 0 ? 0 : (LOAD_STEPS[reached - 1] ?? 0);
}
