/**
 * `browserd --check`: prints what the server would find on this machine, without starting it. Uses the server's own
 * code for the checks, and leaves nothing behind.
 */
import { type Config, ConfigError, effectiveSettings, type ParsedConfig } from '../../base/config/config.ts';
import { exitCodes, ExitError } from '../../base/exit-codes.ts';
import { exposureWarnings } from '../../api/routes/http/caller/posture.ts';
import { bindableHost, tryListening } from '../../base/runtime/address/listen-address.ts';
import { exit, writeLine } from '../../base/runtime/machine.ts';
import { addressError } from './address.ts';
import { browserLines } from './browser-lines.ts';
import { readConfig, secretsOf } from './configuration.ts';
import { fontLines } from './font-lines.ts';
import { type Line, note, ok, problem } from './line.ts';
import { machineLines } from './machine-lines.ts';
import { storageLines } from './storage-lines.ts';

/** Prints the lines and exits: with 0 if the server can serve requests, otherwise with the exit code of a problem. */
export async function check(): Promise<never> {
  const exitCode = await printLines().catch((error: unknown) => {
    writeLine(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return exitCodes.defect.code;
  });
  return exit(exitCode);
}

/** @returns the exit code */
async function printLines(): Promise<number> {
  const parsed = await readConfig().catch((error: unknown) => {
    if (error instanceof ConfigError) return error;
    throw error;
  });
  if (parsed instanceof ConfigError) {
    for (const text of parsed.problems) print(problem('configuration', text, 'configuration'), []);
    writeLine('\nThe server cannot start.');
    return parsed.exitCode;
  }
  const { config } = parsed;
  const secrets = secretsOf(config).filter(Boolean);
  const parts = await Promise.all([
    machineLines(config),
    configurationLines(parsed),
    addressLine(config),
    keyLines(config),
    storageLines(config),
    browserLines(config),
    fontLines(),
  ]);
  const lines = parts.flat();
  for (const line of lines) print(line, secrets);
  const problems = lines.filter(({ mark }) => mark === 'problem');
  const notes = lines.filter(({ mark }) => mark === 'note').length;
  writeLine(
    `\n${problems.length === 0 ? 'The server can serve requests.' : 'The server cannot serve requests.'} ${notes} notes, ${problems.length} problems.`,
  );
  // Exit with the code of the first problem that the server itself would run into.
  return exitCodes[problems[0]?.exit ?? 'stopped'].code;
}

function configurationLines(parsed: ParsedConfig): Line[] {
  const about = 'configuration';
  const given = effectiveSettings(parsed);
  const told = [...parsed.warnings, ...exposureWarnings(parsed.config)];
  return [
    ...(given.length === 0
      ? [ok(about, 'all settings have their default values')]
      : given.map((text) => ok(about, text))),
    ...told.map((text) => note(about, text)),
  ];
}

async function addressLine(config: Config): Promise<Line> {
  const { HOST, PORT } = config;
  const about = 'address';
  return bindableHost(HOST)
    .then((host) => tryListening(host, PORT))
    .then(
      () => ok(about, `${HOST}, port ${PORT}: free`),
      (cause: unknown) => problem(about, addressError(config, cause).message, 'address'),
    );
}

async function keyLines(config: Config): Promise<Line[]> {
  const { KEY_PUBLIC } = config;
  if (KEY_PUBLIC === undefined) return [];
  const about = 'software key';
  const [{ readKey }, { dayOf }] = await Promise.all([
    import('../../control/accounts/software-key/software-key.ts'),
    import('../../control/accounts/software-key/verify-key.ts'),
  ]);
  return readKey({ ...config, KEY_PUBLIC }).then(
    ({ claims: { subject, plan, concurrent, expiresAt } }) => [
      ok(
        about,
        `issued to ${subject}${plan === undefined ? '' : `, plan ${plan}`}${concurrent === undefined ? '' : `, ${concurrent} concurrent requests`}, expires on ${dayOf(expiresAt)}`,
      ),
    ],
    (error: unknown) => {
      if (error instanceof ExitError) return [problem(about, error.message, 'key')];
      throw error;
    },
  );
}

function print({ mark, about, text }: Line, secrets: readonly string[]): void {
  const shown = secrets.reduce((all, secret) => all.replaceAll(secret, '***'), text);
  writeLine(`${mark.padEnd(7)}  ${about.padEnd(17)}  ${shown}`);
}
