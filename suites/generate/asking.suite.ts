import { askingScenarios } from './asking.ts';

export const asking = askingScenarios();
