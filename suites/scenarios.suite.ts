import { scenariosOfRows } from './generate/scenario-rows.ts';
import { materials } from './makers.ts';

export const scenarios = scenariosOfRows(materials);
