/** Renders one operation of the API reference: description, fields, responses, and the sample next to them. */
import { Fragment, type ReactNode } from 'react';
import { splitFields } from '../site/field-tree.ts';
import type { Field, RouteFact } from '../site/model.ts';
import { operationId } from '../site/route-groups.ts';
import { CodeBlock, parseMeta } from './code-block.tsx';
import { H3, type TabItem, TabSet, Wrapping } from './prose.tsx';
import { errorPage, Method } from './tables.tsx';
import { PlainFields, pluralize, Rich } from '../fields/fields.tsx';

/** A path that may wrap before each slash, so that no segment is broken. */
export function PathText({ path }: { path: string }): ReactNode {
  return <Wrapping text={path} at={/(?=\/)/} />;
}

/** Returns the tag that the previous OpenAPI viewer used for a route, so that old anchors still work. */
function oldTagOf({ group, method }: RouteFact): string {
  if (method === 'WS') return 'Browser-WebSocket-APIs';
  return group === 'rest' || group === 'browserql' ? 'Browser-REST-APIs' : 'Management-REST-APIs';
}

interface PartProps {
  title: string;
  scope: string;
  fields: readonly Field[];
  /** Fields that many operations share, and the id of the list that contains them. */
  common?: readonly Field[];
  commonId?: string;
}

function Part({ title, scope, fields, common = [], commonId = '' }: PartProps): ReactNode {
  const shared = splitFields(fields, common);
  const names = shared.common.filter(({ name }) => !/[.[]/.test(name));
  if (fields.length === 0) return null;
  return (
    <>
      <h4>{title}</h4>
      {shared.own.length === 0 ? null : <PlainFields fields={shared.own} scope={scope} />}
      {names.length === 0 ? null : (
        <p className="common-link" data-unsearched="">
          <a href={`/open-api#${commonId}`}>
            {names.length} common {commonId === 'common-fields' ? 'fields' : 'parameters'}
          </a>
          : {names.map(({ name }) => name).join(', ')}
        </p>
      )}
    </>
  );
}

function Answers({ route, id }: { route: RouteFact; id: string }): ReactNode {
  return (
    // Excluded from the search: many routes repeat the names, and every reader who searches downloads the index.
    <div data-unsearched="">
      <h4>Responses</h4>
      {route.answers.length === 0 ? null : (
        <dl className="statuses">
          <div className="status">
            <dt>200</dt>
            <dd>
              {route.answers.map((type, index) => (
                <Fragment key={type}>
                  {index === 0 ? '' : ', '}
                  <code>{type}</code>
                </Fragment>
              ))}
              {route.answer.length === 0 ? null : (
                <details className="kids">
                  <summary>{pluralize(route.answer.length, 'field')} of the response</summary>
                  <PlainFields fields={route.answer} scope={`${id}.answer`} />
                </details>
              )}
            </dd>
          </div>
        </dl>
      )}
      <p className="small">
        Errors:{' '}
        {route.statuses.map((status, index) => (
          <Fragment key={status}>
            {index === 0 ? '' : ', '}
            <a href={`${errorPage}#${status}`}>{status}</a>
          </Fragment>
        ))}
      </p>
    </div>
  );
}

/** Renders the entry of an operation in the list of all, with the anchors that links from outside use. */
export function OperationRow({ route, page }: { route: RouteFact; page: string }): ReactNode {
  const { method, path, paths, summary } = route;
  const id = operationId(route);
  return (
    <li id={id} data-operation={`${method} ${path} ${summary}`}>
      {paths.map((each) => (
        <span
          key={each}
          id={`tag/${oldTagOf(route)}/paths/${each.replaceAll('/', '~1')}/${method === 'WS' ? 'get' : method.toLowerCase()}`}
        />
      ))}
      <span>
        <Method name={method} />{' '}
        <a href={`${page}#${id}`}>
          <PathText path={path} />
        </a>
      </span>
      <span>{summary}</span>
    </li>
  );
}

/** Renders an operation; `shared` has the fields of many operations, which are listed once, above. */
export function Operation(props: {
  route: RouteFact;
  shared: Readonly<Record<'body' | 'query', readonly Field[]>>;
  samples: readonly TabItem[];
}): ReactNode {
  const { route, shared, samples } = props;
  const id = operationId(route);
  const { method, path, paths } = route;
  return (
    <section className="operation" data-operation={`${method} ${path}`}>
      <div className="operation-head">
        <H3 id={id}>
          <Method name={method} /> <PathText path={path} />
        </H3>
        <p>
          <strong>{route.summary}.</strong> <Rich text={route.description} />
        </p>
        <p className="small">
          {route.open ? 'No token needed.' : 'Needs a token if the server requires one.'}
          {paths.slice(1).map((each, index) => (
            <Fragment key={each}>
              {index > 0 ? ', ' : ' Also at '}
              <code>
                <PathText path={each} />
              </code>
            </Fragment>
          ))}
          {paths.length > 1 ? '.' : ''}
        </p>
      </div>
      <div className="operation-sample" data-theme="dark">
        <TabSet group="client" items={samples} name={`Samples of ${method} ${path}`} />
        {route.answerExample === undefined ? null : (
          <CodeBlock
            code={JSON.stringify(route.answerExample, null, 2)}
            language="json"
            meta={parseMeta('title="Example response"')}
          />
        )}
      </div>
      <div className="operation-fields">
        <Part title="Body" scope={`${id}.body`} fields={route.body} common={shared.body} commonId="common-fields" />
        <Part title="Query" scope={`${id}.query`} fields={route.query} common={shared.query} commonId="common-query" />
        <Answers route={route} id={id} />
      </div>
    </section>
  );
}
