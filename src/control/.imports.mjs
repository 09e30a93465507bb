// The folders of src/control/, from the ground up. See .dependency-cruiser.mjs.
export default {
  'accounts/software-key': {
    holds: 'the key that a server with `KEY_PUBLIC` needs, and its expiry',
    packages: 'jose valibot',
  },
  admission: { holds: 'slots, queue, load of the machine' },
  accounts: { holds: 'tokens, plans and their features, quotas, units', imports: 'admission', packages: 'valibot' },
  cluster: { holds: 'the other servers: names, addresses, forwarding', packages: 'node httpxy valibot' },
  'cluster/registry': { holds: 'the shared registry in Valkey', imports: 'cluster', packages: 'node iovalkey' },
  'dashboard/protocol': { holds: 'messages between server and dashboard' },
  dashboard: { holds: 'state of the dashboard, thumbnails, sign-ins', imports: 'admission dashboard/protocol' },
  'services.ts': {
    holds: 'builds the services of this layer',
    imports: 'accounts accounts/software-key admission cluster cluster/registry',
  },
};
