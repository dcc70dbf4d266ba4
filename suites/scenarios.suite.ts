import { scenariosOfRows } from './generate/scenario-rows.ts';
import { MAKERS } from './makers.ts';

export const scenarios = scenariosOfRows(MAKERS);
