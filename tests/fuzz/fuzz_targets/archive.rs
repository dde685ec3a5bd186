//! Archives. Whatever the bytes are, what is listed can be looked at, nothing is larger than it says, and a folder that
//! is packed again reads as it did before.
#![no_main]

use libfuzzer_sys::fuzz_target;
use skilltree::fs::{ArchiveFs, ArchiveLimits, FileKind};
use skilltree::package::Packed;
use skilltree::{Fs, FsPath};

/// Small, so that an input that unpacks to much is not what the time is spent on.
const LIMITS: ArchiveLimits = ArchiveLimits { entries: 64, bytes: 1 << 16, ratio: 200, name_bytes: 256, depth: 8 };

fuzz_target!(|bytes: &[u8]| {
    let Ok(archive) = ArchiveFs::within(bytes, &LIMITS) else { return };
    let files = files(&archive);
    assert!(files.iter().map(|(_, bytes)| bytes.len() as u64).sum::<u64>() <= LIMITS.bytes);
    for note in archive.notes() {
        assert!(!note.message.is_empty() && !note.message.contains(char::is_control), "{note:?}");
    }
    let again = ArchiveFs::within(bytes, &LIMITS).expect("it was read before");
    assert_eq!(self::files(&again), files);
    packed_is_the_same(&archive);
});

/// Every file that can be read, with its bytes.
fn files(archive: &ArchiveFs) -> Vec<(FsPath, Vec<u8>)> {
    let (mut files, mut waiting, mut listed) = (Vec::new(), vec![FsPath::root()], 0);
    while let Some(dir) = waiting.pop() {
        let entries = archive.list(&dir).expect("a folder that is listed can be listed");
        assert!(entries.windows(2).all(|pair| pair[0].name < pair[1].name), "{entries:?}");
        for entry in entries {
            listed += 1;
            assert!(listed <= LIMITS.entries * LIMITS.depth, "more than the archive holds");
            let path = dir.child(&entry.name).expect("a name is one part of a path");
            let metadata = archive.metadata(&path).expect("it can be looked at").expect("it is there");
            assert_eq!(metadata.kind, entry.kind, "{path}");
            match entry.kind {
                FileKind::Dir => waiting.push(path),
                FileKind::File => files.extend(read(archive, path)),
                FileKind::Other | FileKind::Broken => assert!(archive.read(&path, 1).is_err(), "{path}"),
            }
        }
    }
    files
}

fn read(archive: &ArchiveFs, path: FsPath) -> Option<(FsPath, Vec<u8>)> {
    let whole = archive.read(&path, LIMITS.bytes).ok()?;
    assert_eq!(whole.len, whole.bytes.len() as u64, "{path}");
    let half = whole.len / 2;
    let begin = archive.read(&path, half).expect("the beginning of what can be read whole");
    assert_eq!((&begin.bytes[..], begin.len), (&whole.bytes[..half as usize], whole.len), "{path}");
    Some((path, whole.bytes))
}

fn packed_is_the_same(archive: &ArchiveFs) {
    let (places, dialect) = (skilltree::Places::default(), skilltree::dialect("agentskills").expect("it is built in"));
    let world = skilltree::World::new(archive, &places, &());
    for entry in archive.list(&FsPath::root()).expect("the root can be listed") {
        let dir = FsPath::root().child(&entry.name).expect("a name");
        let Ok(packed) = Packed::of(&world, &dialect, &dir) else { continue };
        let again = ArchiveFs::new(packed.bytes).expect("what is packed is read");
        assert!(again.notes().is_empty(), "{:?}", again.notes());
        let read = |fs: &ArchiveFs, file: &FsPath| fs.read(file, u64::MAX).map(|read| read.bytes);
        for (path, bytes) in files(&again) {
            let rest = path.as_str().splitn(3, '/').nth(2).expect("below the folder of the skill");
            assert_eq!(read(archive, &dir.join(rest).expect("a path")), Ok(bytes), "{path}");
        }
    }
}
