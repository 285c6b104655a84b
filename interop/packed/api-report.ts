import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';

/**
 * The report of what an entry of the installed SDK declares, its resources included. What operations take and answer
 * stands in docs/openapi.json, so here it is as if it came from another package.
 */
export async function apiReport(project: string, entry: string): Promise<string> {
  const shipped = join(project, 'node_modules/@agora-market/sdk');
  // What lies in node_modules would count as another's.
  const own = join(project, 'sdk');
  await cp(join(shipped, 'build/esm'), own, { recursive: true });
  await cp(join(shipped, 'package.json'), join(own, 'package.json'));
  const contract = join(project, 'node_modules/@agora-market/contract');
  await mkdir(contract);
  await writeFile(
    join(contract, 'package.json'),
    '{ "name": "@agora-market/contract", "version": "0.0.0", "types": "index.d.ts" }',
  );
  await cp(join(own, 'contract.d.ts'), join(contract, 'index.d.ts'));
  for (const name of await readdir(own, { recursive: true })) {
    if (!name.endsWith('.d.ts')) continue;
    const text = await readFile(join(own, name), 'utf8');
    await writeFile(join(own, name), text.replaceAll(/'(\.\.?\/)+contract\.js'/g, "'@agora-market/contract'"));
  }
  const { succeeded } = Extractor.invoke(configOf(project, own, join(own, entry)), {
    localBuild: true,
    messageCallback: (message) => {
      message.handled = true;
    },
  });
  if (!succeeded) throw new Error('API Extractor failed.');
  return await readFile(join(project, 'sdk.api.md'), 'utf8');
}

const configOf = (project: string, own: string, mainEntryPointFilePath: string) =>
  ExtractorConfig.prepare({
    packageJsonFullPath: join(own, 'package.json'),
    configObjectFullPath: join(project, 'api-extractor.json'),
    configObject: {
      projectFolder: project,
      mainEntryPointFilePath,
      newlineKind: 'lf',
      compiler: {
        overrideTsconfig: {
          files: [mainEntryPointFilePath],
          compilerOptions: {
            target: 'es2022',
            module: 'esnext',
            moduleResolution: 'bundler',
            lib: ['es2024', 'dom'],
            types: [],
          },
        },
      },
      apiReport: {
        enabled: true,
        // The worker's entry needs nothing that it does not export, but the client that the other report shows.
        includeForgottenExports: mainEntryPointFilePath === join(own, 'index.d.ts'),
        reportFileName: 'sdk.api.md',
        reportFolder: project,
        reportTempFolder: join(project, 'temp'),
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        extractorMessageReporting: { default: { logLevel: ExtractorLogLevel.None, addToApiReportFile: false } },
      },
    },
  });
