#!/usr/bin/env node
// Starts Tare's program. It lies in a package for each platform, of which npm installs the one that fits; nothing is done at installation.
'use strict';

const { spawn } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

const PREFIX = 'tare-bench-';
// As the program's own: wrong configuration, and what failed.
const USAGE = 2;
const FAILED = 4;
// Of Node's names for architectures, the numbers that ELF has for them.
const MACHINES = { x64: 62, arm64: 183 };
const PASSED_ON = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGUSR1', 'SIGUSR2'];
// A terminal sends these to every process in the foreground. A second one would end the program at once.
const FROM_KEYBOARD = ['SIGINT', 'SIGQUIT'];

function fail(status, message) {
    fs.writeSync(2, `tare: ${message}\n`);
    process.exit(status);
}

/** The program that the environment names, or the one in the platform's package. */
function program() {
    const named = process.env.TARE_BINARY;
    if (named) {
        return fromEnvironment(path.resolve(named));
    }
    const packages = Object.keys(require('../package.json').optionalDependencies);
    const platform = `${process.platform}-${process.arch}`;
    const name = PREFIX + platform;
    if (!packages.includes(name)) {
        const known = packages.map((one) => one.slice(PREFIX.length)).join(', ');
        fail(FAILED, `no package has the program for ${platform}; there are packages for ${known}. ` +
            'Build Tare from its sources on this machine, and set TARE_BINARY to the program.');
    }
    try {
        return require.resolve(`${name}/bin/tare`);
    } catch {
        fail(FAILED, `the package ${name}, which has the program, isn't beside ${path.dirname(__dirname)}. ` +
            'npm leaves it out with --omit=optional, and where node_modules comes from another platform. Run `npm install --include=optional` here.');
    }
}

function fromEnvironment(named) {
    let real;
    try {
        real = fs.realpathSync(named);
    } catch (error) {
        fail(USAGE, `TARE_BINARY is ${named}, which can't be read (${error.code}). Set it to Tare's program, or unset it.`);
    }
    if (real === fs.realpathSync(__filename)) {
        fail(USAGE, `TARE_BINARY is ${named}, which is this launcher. Set it to Tare's program, or unset it.`);
    }
    return named;
}

/** Ends this process where the program can't be started. */
function check(found) {
    try {
        fs.accessSync(found, fs.constants.X_OK);
        if (!fs.statSync(found).isFile()) {
            fail(USAGE, `${found} is no file. Set TARE_BINARY to Tare's program.`);
        }
        if (!isProgram(found)) {
            fail(FAILED, `${found} is no program for ${process.platform}-${process.arch}. Install the package anew, or set TARE_BINARY to Tare's program.`);
        }
    } catch (error) {
        refused(found, error);
    }
}

/** Whether a file is a program of this architecture or a script. The system would give anything else to a shell. */
function isProgram(found) {
    const head = Buffer.alloc(20);
    const file = fs.openSync(found, 'r');
    fs.readSync(file, head, 0, head.length, 0);
    fs.closeSync(file);
    const isElf = head.toString('latin1', 0, 4) === '\x7fELF';
    const machine = MACHINES[process.arch];
    return head.toString('latin1', 0, 2) === '#!' || (isElf && (machine === undefined || head.readUInt16LE(18) === machine));
}

function refused(found, error) {
    const reason = error.code === 'EACCES'
        ? 'it may not be executed: its mode forbids that, or its file system is mounted with noexec'
        : error.message;
    fail(FAILED, `${found} can't be started: ${reason}. Install the package in another folder, or set TARE_BINARY to a copy of the program.`);
}

/** Whether this process is in the foreground of a terminal, which then sends signals of keys to the program, too. */
function isInForeground() {
    try {
        // Behind the name, which may hold anything: state, parent, group, session, terminal, and the group in the terminal's foreground.
        const fields = fs.readFileSync('/proc/self/stat', 'latin1').replace(/^.*\) /s, '').split(' ');
        return fields[2] === fields[5];
    } catch {
        return false;
    }
}

function start(found, options) {
    if (typeof process.execve === 'function' && !process.env.TARE_BINARY) {
        // The program takes the place of this process, and with it signals and status. Where that fails Node aborts, so it is left to the
        // package's own program, which is static and lacks no loader.
        process.execve(found, [found, ...options], process.env);
    }
    let child = null;
    // Before the program starts: a signal in between would end this process alone.
    for (const signal of PASSED_ON) {
        process.on(signal, () => {
            if (!FROM_KEYBOARD.includes(signal) || !isInForeground()) {
                child.kill(signal);
            }
        });
    }
    child = spawn(found, options, { stdio: 'inherit' });
    child.on('error', (error) => refused(found, error));
    child.on('exit', (status, signal) => {
        if (signal === null) {
            process.exit(status);
        }
        // Ends as the program did, so that a shell says the same.
        process.removeAllListeners(signal);
        process.kill(process.pid, signal);
        setTimeout(() => process.exit(128 + os.constants.signals[signal]), 200);
    });
}

const found = program();
check(found);
start(found, process.argv.slice(2));
