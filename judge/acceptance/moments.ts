const LOAD_STEPS = [1, 4, 8] as const;
const REPEATED = 'context.repeated';
const LOAD_FEATURES = LOAD_STEPS.map((load) => `context.beside>=${load}`);

/** `context.repeated`: an equal request was accepted or refused before; `context.beside>=4`: 4 or more ran with it. */
export const MOMENT_FEATURES: readonly string[] = [REPEATED, ...LOAD_FEATURES];

/** The arrays are shared, because many requests keep them. */
const FIRST_MOMENTS = momentsWith([]);
const REPEATED_MOMENTS = momentsWith([REPEATED]);

export function momentFeatures(sent: 'first' | 'again', inFlight: number): readonly string[] {
  const reached = LOAD_STEPS.filter((load) => inFlight >= load).length;
  return (sent === 'first' ? FIRST_MOMENTS : REPEATED_MOMENTS)[reached] ?? [];
}

export function isMomentFeature(feature: string): boolean {
  return feature.startsWith('context.');
}

/** The load features below `feature`, ascending, each with the next one; empty if it is not a load feature. */
export function lowerLoads(feature: string): readonly { readonly load: string; readonly next: string }[] {
  const lower = LOAD_FEATURES.slice(0, Math.max(0, LOAD_FEATURES.indexOf(feature)));
  return lower.map((load, i) => ({ load, next: LOAD_FEATURES[i + 1] ?? feature }));
}

function momentsWith(features: readonly string[]): readonly (readonly string[])[] {
  const reachedCounts = [0, ...LOAD_STEPS.map((_, i) => i + 1)];
  return reachedCounts.map((reached) => [...features, ...LOAD_FEATURES.slice(0, reached)]);
}

/** The array that `momentFeatures` returns for an equal moment. */
export function sharedMoment(moment: readonly string[]): readonly string[] {
  return (isFirstSent(moment) ? FIRST_MOMENTS : REPEATED_MOMENTS)[reachedSteps(moment)] ?? [];
}

export function asRepeated(moment: readonly string[]): readonly string[] {
  return REPEATED_MOMENTS[reachedSteps(moment)] ?? [];
}

export function isFirstSent(moment: readonly string[]): boolean {
  return !moment.includes(REPEATED);
}

function reachedSteps(moment: readonly string[]): number {
  return LOAD_FEATURES.filter((feature) => moment.includes(feature)).length;
}

export interface MomentOutcomes {
  readonly moment: readonly string[];
  accepted: number;
  /** Number of equal requests refused at this moment although they were due to be accepted. */
  refused: number;
}
