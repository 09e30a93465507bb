/** Shows the charts and tables of "What a request costs". */
import type { ReactNode } from 'react';
import { useSource } from './facts.tsx';
import { DataTable } from './prose.tsx';

/** Shows the machine, the duration and the date of the benchmark run. */
export function CostRun(): ReactNode {
  return <p>{useSource().costs.machine}</p>;
}

/** Shows the charts of a group, side by side if they fit. */
export function CostCharts({ of }: { of: string }): ReactNode {
  const charts = useSource().costs.charts[of];
  if (charts === undefined) throw new Error(`Unknown chart group: ${of}`);
  return (
    <div className="charts">
      {charts.map(({ title, legend, svg }) => (
        <figure key={title} className="chart">
          <figcaption>{title}</figcaption>
          <ul className="legend">
            {legend.map(({ style, label }) => (
              <li key={label} className={style}>
                {label}
              </li>
            ))}
          </ul>
          <div dangerouslySetInnerHTML={{ __html: svg }} />
        </figure>
      ))}
    </div>
  );
}

/** Shows a table of numbers, optionally collapsed. The search leaves it out, because nobody searches for a number. */
export function CostTable({ of, folded = false }: { of: string; folded?: boolean }): ReactNode {
  const table = useSource().costs.tables[of];
  if (table === undefined) throw new Error(`Unknown cost table: ${of}`);
  const markup = <DataTable {...table} />;
  if (!folded) return <div data-unsearched="">{markup}</div>;
  return (
    <details data-unsearched="">
      <summary>{table.title}</summary>
      {markup}
    </details>
  );
}
