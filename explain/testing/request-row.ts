import type { RequestRow } from '../../judge/requirements/acceptance-facts.ts';

export function createRow(features: string, accepted: number, refused: number): RequestRow {
  const exchanges = Array.from({ length: refused }, (_, n) => `e${n + 1}`);
  return { features: features === '' ? [] : features.split(' '), accepted, refused, exchanges };
}
