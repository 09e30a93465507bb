// Strict JSON schemas of the Kubernetes kinds in public/deploy: a field that is not listed here is rejected. They
// contain only what the manifests use, and follow the API references of Kubernetes 1.33, KEDA 2 and the Prometheus
// Operator; look up the name of a new field there before adding it here.
import { words } from './words.ts';

type Schema = Readonly<Record<string, unknown>>;

const text: Schema = { type: 'string', minLength: 1 };
const count: Schema = { type: 'integer', minimum: 0 };
const flag: Schema = { type: 'boolean' };
const name: Schema = { type: 'string', pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$' };
const quantity: Schema = { type: 'string', pattern: '^[0-9]+(\\.[0-9]+)?(m|Ki|Mi|Gi)?$' };
const portName: Schema = { anyOf: [name, { type: 'integer', minimum: 1, maximum: 65_535 }] };
const empty: Schema = { type: 'object', maxProperties: 0 };
const list = (items: Schema): Schema => ({ type: 'array', minItems: 1, items });
const oneOf = (...values: string[]): Schema => ({ type: 'string', enum: values });

/** An object with these fields and no others; `optional` lists those that may be omitted. */
const object = (properties: Readonly<Record<string, Schema>>, ...optional: string[]): Schema => ({
  type: 'object',
  additionalProperties: false,
  properties,
  required: Object.keys(properties).filter((key) => !optional.includes(key)),
});

const labels: Schema = { type: 'object', additionalProperties: text, minProperties: 1 };
const selector = object({ matchLabels: labels });
const probe = object(
  {
    httpGet: object({ path: text, port: portName }),
    periodSeconds: count,
    timeoutSeconds: count,
    failureThreshold: count,
  },
  'timeoutSeconds',
);
const secretKey = object({ name, key: text });
const container = object({
  name,
  image: text,
  ports: list(object({ name, containerPort: count })),
  env: list(
    object(
      {
        name: text,
        value: text,
        valueFrom: object(
          { secretKeyRef: secretKey, fieldRef: object({ fieldPath: text }) },
          'secretKeyRef',
          'fieldRef',
        ),
      },
      'value',
      'valueFrom',
    ),
  ),
  startupProbe: probe,
  livenessProbe: probe,
  readinessProbe: probe,
  resources: object({ requests: object({ cpu: quantity, memory: quantity }), limits: object({ memory: quantity }) }),
  securityContext: object({
    allowPrivilegeEscalation: flag,
    readOnlyRootFilesystem: flag,
    capabilities: object({ drop: list(text) }),
  }),
  volumeMounts: list(object({ name, mountPath: text })),
});
const pod = object({
  automountServiceAccountToken: flag,
  terminationGracePeriodSeconds: count,
  hostUsers: flag,
  securityContext: object({
    runAsNonRoot: flag,
    runAsUser: count,
    runAsGroup: count,
    fsGroup: count,
    seccompProfile: object(
      { type: oneOf('RuntimeDefault', 'Localhost', 'Unconfined'), localhostProfile: text },
      'localhostProfile',
    ),
  }),
  containers: list(container),
  volumes: list(object({ name, emptyDir: empty })),
});

const kind = (apiVersion: string, called: string, spec: Schema): Schema =>
  object({
    apiVersion: { const: apiVersion },
    kind: { const: called },
    metadata: object({ name, labels }),
    spec,
  });

export const manifestSchemas: Readonly<Record<string, Schema>> = {
  Deployment: kind(
    'apps/v1',
    'Deployment',
    object(
      {
        replicas: count,
        selector,
        strategy: object({ rollingUpdate: object({ maxSurge: count, maxUnavailable: count }) }),
        template: object({ metadata: object({ labels }), spec: pod }),
      },
      'replicas',
    ),
  ),
  Service: kind(
    'v1',
    'Service',
    object({ selector: labels, ports: list(object({ name, port: count, targetPort: portName })) }),
  ),
  PodDisruptionBudget: kind('policy/v1', 'PodDisruptionBudget', object({ maxUnavailable: count, selector })),
  NetworkPolicy: kind(
    'networking.k8s.io/v1',
    'NetworkPolicy',
    object({
      podSelector: selector,
      policyTypes: list(oneOf('Ingress', 'Egress')),
      ingress: list(object({ ports: list(object({ port: portName })) })),
      egress: list(
        object(
          {
            ports: list(object({ port: portName, protocol: oneOf('TCP', 'UDP') })),
            to: list(
              object(
                { ipBlock: object({ cidr: text, except: list(text) }, 'except'), podSelector: selector },
                'ipBlock',
                'podSelector',
              ),
            ),
          },
          'ports',
          'to',
        ),
      ),
    }),
  ),
  ServiceMonitor: kind(
    'monitoring.coreos.com/v1',
    'ServiceMonitor',
    object({
      selector,
      endpoints: list(
        object({ port: name, path: text, interval: text, authorization: object({ credentials: secretKey }) }),
      ),
    }),
  ),
  ScaledObject: kind(
    'keda.sh/v1alpha1',
    'ScaledObject',
    object({
      scaleTargetRef: object({ name }),
      minReplicaCount: count,
      maxReplicaCount: count,
      cooldownPeriod: count,
      advanced: object({
        horizontalPodAutoscalerConfig: object({
          behavior: object({
            scaleDown: object({
              stabilizationWindowSeconds: count,
              policies: list(object({ type: oneOf('Pods', 'Percent'), value: count, periodSeconds: count })),
            }),
          }),
        }),
      }),
      triggers: list(
        object({
          type: { const: 'prometheus' },
          metricType: oneOf('AverageValue', 'Value'),
          metadata: object({ serverAddress: text, query: text, threshold: text }),
        }),
      ),
    }),
  ),
  Kustomization: object({
    apiVersion: { const: 'kustomize.config.k8s.io/v1beta1' },
    kind: { const: 'Kustomization' },
    labels: list(object({ includeSelectors: flag, pairs: labels })),
    resources: list(text),
    images: list(object({ name: text, newName: text, newTag: text })),
  }),
};

const service = object(
  {
    build: text,
    image: text,
    command: list({ type: 'string' }),
    user: text,
    environment: { type: 'object', additionalProperties: { type: ['string', 'integer'] } },
    ports: list({ type: 'string', pattern: '^[0-9]+:[0-9]+$' }),
    volumes: list(text),
    read_only: flag,
    tmpfs: list(text),
    cap_drop: list(text),
    security_opt: list(text),
    depends_on: {
      type: 'object',
      additionalProperties: object({ condition: oneOf('service_started', 'service_healthy') }),
    },
    stop_grace_period: { type: 'string', pattern: '^[0-9]+s$' },
    restart: oneOf('no', 'always', 'on-failure', 'unless-stopped'),
  },
  ...words(`
    build command user environment ports volumes read_only tmpfs cap_drop security_opt depends_on stop_grace_period
  `),
);

/** Schema of compose files, from the Compose specification. */
export const composeSchema = object({
  name,
  services: { type: 'object', additionalProperties: service, minProperties: 1 },
  volumes: { type: 'object', additionalProperties: empty },
});
