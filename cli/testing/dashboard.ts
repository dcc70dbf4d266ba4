import { readFileSync } from 'node:fs';

interface Dashboard {
  readonly panels: readonly {
    readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>;
    readonly targets: readonly { readonly expr: string }[];
  }[];
}

export function readDashboard(): Dashboard {
  return JSON.parse(readFileSync('docs/grafana-dashboard.json', 'utf8')) as Dashboard; // as: the tests check it
}

export function listDashboardQueries(): readonly string[] {
  return readDashboard().panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
}
