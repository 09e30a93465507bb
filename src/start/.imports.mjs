// The files of src/start/, in dependency order. See .dependency-cruiser.mjs.
export default {
  'services.ts': { holds: 'has each layer build its services' },
  'stop.ts': { holds: 'drains and stops the server', imports: 'services.ts' },
  check: { holds: 'configuration and directories; `--check`' },
  'server.ts': { holds: 'starts a server in this process', imports: 'services.ts stop.ts check' },
  'start.ts': { holds: 'the server as a program: options, signals, exit codes', imports: 'server.ts' },
  'scripts.ts': { holds: 'child processes by name' },
  'health.ts': { holds: '`--health`', packages: 'node' },
  'setup.js': { holds: 'installs and builds before `npm start` and `npm test`', packages: 'node' },
};
