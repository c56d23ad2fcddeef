// Writes the licence texts of all bundled packages and a bill of materials (CycloneDX 1.6).
// Both are made from the files that the bundlers really used. What a package contains that is a bundle itself
// cannot be seen that way: packagesInBundles.json lists it.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const licencesFile = 'dist/third-party-licenses.txt';
const materialsFile = 'dist/sbom.cdx.json';
const nestedFile = 'scripts/packagesInBundles.json';

/** The folders of the packages that these source files belong to, such as `node_modules/zod`. */
export function packageFolders(files) {
  const folders = files.flatMap((file) => {
    const path = file.replaceAll('\\', '/');
    const [folder] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? [];
    return folder === undefined ? [] : [folder.slice(folder.indexOf('node_modules/'))];
  });
  return [...new Set(folders)];
}

/** The source files of which at least a byte is in the bundle. */
export function usedFiles({ outputs }) {
  return Object.values(outputs).flatMap(({ inputs }) =>
    Object.keys(inputs).filter((file) => inputs[file].bytesInOutput > 0),
  );
}

/** Returns the paths of both files. Throws for a package without a licence: it must not be shipped. */
export function describePackages(folders) {
  const manifest = readJson('package.json');
  const lockfile = readJson('package-lock.json').packages;
  const { bundles } = readJson(nestedFile);
  const bundled = folders
    .map((folder) => readPackage(folder))
    .map((each) => ({
      ...each,
      lock: lockfile[each.folder],
      nested: nestedPackages(
        each,
        bundles.find(({ name }) => name === each.name),
      ),
    }))
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
  writeFileSync(licencesFile, licenceTexts(bundled));
  const optional = Object.keys(manifest.optionalDependencies).map((name) => {
    const lock = lockfile[`node_modules/${name}`];
    return { name, version: lock.version, licence: lock.license, lock, isOptional: true };
  });
  const materials = billOfMaterials(manifest, [...bundled, ...optional]);
  writeFileSync(materialsFile, `${JSON.stringify(materials, null, 2)}\n`);
  return [licencesFile, materialsFile];
}

function readPackage(folder) {
  const { name, version, license } = readJson(join(folder, 'package.json'));
  const files = readdirSync(folder).filter((file) => /^(?:licen[cs]e|copying|notice)\b/i.test(file));
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
  if (typeof license !== 'string' || texts.length === 0) throw new Error(`${name} has no licence text.`);
  return { folder, name, version, licence: license, text: texts.join('\n\n') };
}

/**
 * What a package contains that is a bundle itself. Throws for another version than the one that was listed.
 */
function nestedPackages({ name, version }, bundle) {
  if (bundle === undefined) return [];
  if (bundle.version !== version)
    throw new Error(`${nestedFile} lists what is in ${name} ${bundle.version}, and this is ${version}.`);
  return bundle.licences.flatMap(({ licence, copyright, text: file, packages }) => {
    const text = [...copyright.filter((line) => !file.includes(line)), file].join('\n\n');
    return packages.map((each) => ({ name: each.name, version: each.version, licence, text, within: name }));
  });
}

function licenceTexts(packages) {
  const sections = packages
    .flatMap((each) => [each, ...each.nested])
    .map((each) => `${'-'.repeat(80)}\n${title(each)}\n\n${each.text}\n`);
  return `Parley contains the following packages, each under its own licence.\n\n${sections.join('\n')}`;
}

function title({ name, version, licence, within }) {
  const place = within === undefined ? '' : `, in ${within}`;
  return `${version === undefined ? name : `${name} ${version}`} (${licence})${place}`;
}

function billOfMaterials(manifest, packages) {
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': purl(manifest),
        name: manifest.name,
        version: manifest.version,
        licenses: [{ expression: manifest.license }],
        purl: purl(manifest),
      },
    },
    components: packages.map(component),
    dependencies: [{ ref: purl(manifest), dependsOn: packages.map(purl) }],
  };
}

function component({ name, version, licence, lock, isOptional, nested = [] }) {
  const [algorithm, digest] = (lock?.integrity ?? '').split('-');
  return {
    type: 'library',
    'bom-ref': purl({ name, version }),
    name,
    version,
    scope: isOptional ? 'optional' : 'required',
    licenses: [{ expression: licence }],
    purl: purl({ name, version }),
    ...(algorithm === 'sha512' && {
      hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }],
    }),
    ...(nested.length > 0 && {
      components: nested.map((each) => ({
        type: 'library',
        // The same package may be in the program as well, and each reference is there once.
        'bom-ref': `${purl({ name, version })}#${purl(each)}`,
        name: each.name,
        ...(each.version !== undefined && { version: each.version }),
        scope: 'required',
        licenses: [{ expression: each.licence }],
        purl: purl(each),
      })),
    }),
  };
}

function purl({ name, version }) {
  const path = `pkg:npm/${name.replace('@', '%40')}`;
  return version === undefined ? path : `${path}@${version}`;
}

function readJson(path) {
  if (!existsSync(path)) throw new Error(`${path} is missing.`);
  return JSON.parse(readFileSync(path, 'utf8'));
}
